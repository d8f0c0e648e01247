/**
 * Runs the devnet's nodes and managers inside this process: the only place where services are
 * composed together.
 */
import { appendFileSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { VERSION } from '../../io/host/client-version.ts';
import { systemClock } from '../../io/host/clock.ts';
import { parseOptions } from '../../io/options/options.ts';
import { createLogger } from '../../io/telemetry/logger.ts';
import { tracingSettings } from '../../io/tracing/settings.ts';
import type { Launch } from '../../services/devnet/processes.ts';
import { ledgerConfig } from '../../services/ledger/config.ts';
import { NODE_ROWS } from '../../services/ledger/options.ts';
import { type NodeHost, startNode } from '../../services/ledger/start.ts';
import { readTesseraConfig } from '../../services/ptm/config.ts';
import { PTM_ROWS } from '../../services/ptm/options.ts';
import { startPtm } from '../../services/ptm/start.ts';
import { rampSettings } from '../../services/ramp/config.ts';
import { RAMP_ROWS } from '../../services/ramp/options.ts';
import { startRamp } from '../../services/ramp/start.ts';
import { signerConfig } from '../../services/signer/config.ts';
import { parseSignerOptions } from '../../services/signer/options.ts';
import { startSigner } from '../../services/signer/start.ts';
import type { StakingHost } from '../../services/staking/compose.ts';
import { stakingConfig } from '../../services/staking/config.ts';
import { STAKING_ROWS } from '../../services/staking/options.ts';
import { startStaking } from '../../services/staking/start.ts';

/** Parts that run in threads: the build creates their modules. */
export type ThreadParts = Pick<StakingHost, 'depositSigner'> & Pick<NodeHost, 'readerWorker'>;

/** `verbosity` of the log files: 0 silent .. 5 trace. */
export function inProcessLauncher(verbosity = 3, threadParts: ThreadParts = {}): Launch {
  return async ({ name, args, logFile }) => {
    const [command, ...argv] = args;
    const { log } = createLogger({
      write: (line) => appendFileSync(logFile, line),
      clock: systemClock,
      verbosity,
    });
    const close = await start(command, argv, log, threadParts);
    let end: (how: string) => void = () => {};
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    return {
      name,
      pid: process.pid,
      ended,
      async release() {},
      async stop() {
        await close();
        end('status 0');
      },
    };
  };
}

async function start(
  command: string | undefined,
  argv: readonly string[],
  log: ReturnType<typeof createLogger>['log'],
  threadParts: ThreadParts,
) {
  if (command === 'node') {
    const options = parseOptions(NODE_ROWS, { argv });
    const config = ledgerConfig(options);
    const node = await startNode(config, {
      log,
      privateConfig: undefined,
      environment: {},
      tracing: tracingSettings(options, {}, 'quorate-node', log),
      readerWorker: threadParts.readerWorker,
      onFault: (error) => log('error', 'The disk failed', { err: error }),
    });
    return () => node.close();
  }
  if (command === 'ptm') {
    const options = parseOptions(PTM_ROWS, { argv });
    const { config } = await readTesseraConfig(options.string('configfile')!);
    const tracing = tracingSettings(options, {}, 'quorate-ptm', log);
    const ptm = await startPtm(config, { say: log, env: process.env, tracing });
    return () => ptm.close();
  }
  if (command === 'signer') {
    const options = parseSignerOptions(argv, {});
    const signer = await startSigner(signerConfig(options), {
      log,
      version: VERSION,
      tracing: tracingSettings(options, {}, 'quorate-signer', log),
    });
    return () => signer.close();
  }
  if (command === 'staking') {
    const options = parseOptions(STAKING_ROWS, { argv });
    const staking = await startStaking(stakingConfig(options), { log, env: {}, ...threadParts });
    return () => staking.close();
  }
  if (command === 'ramp') {
    const options = parseOptions(RAMP_ROWS, { argv });
    const ramp = await startRamp(rampSettings(options), { log, env: {} });
    return () => ramp.close();
  }
  throw fail('INVARIANT_BROKEN', `the devnet starts no "${command}"`);
}
