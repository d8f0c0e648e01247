/** `quorate signer`. */
import { fail } from '../core/base/errors.ts';
import { verifyAuditLogs } from '../io/audit/audit-verify.ts';
import { VERSION } from '../io/host/client-version.ts';
import { systemClock } from '../io/host/clock.ts';
import { onStopSignal } from '../io/host/signals.ts';
import { sayIgnored } from '../io/options/ignored.ts';
import { flagsInVain, sayInVain } from '../io/options/needs.ts';
import { createLogger } from '../io/telemetry/logger.ts';
import { watchOpenFiles } from '../io/telemetry/open-files-watch.ts';
import { tracingSettings } from '../io/tracing/settings.ts';
import { signerConfig } from '../services/signer/config.ts';
import { SIGNER_NEEDS } from '../services/signer/options/flag-needs.ts';
import { parseSignerOptions, SIGNER_ROWS } from '../services/signer/options.ts';
import { startSigner } from '../services/signer/start.ts';
import type { Command } from './command.ts';

export const signerCommand: Command = {
  name: 'signer',
  about:
    'Runs a signing proxy in front of a node: it holds keys, counts nonces, and signs for its clients. The flags are those of Web3Signer and EthSigner.',
  operandsMax: 1,
  operands: '[eth1 | file-based-signer | multikey-signer | hashicorp-signer | azure-signer]',
  examples: [
    {
      does: "in front of a node, with Web3Signer's key files",
      line: 'quorate signer --chain-id 1337 --downstream-http-port 22000 --data-path data --key-store-path keys',
    },
    {
      does: "with EthSigner's arguments",
      line: 'quorate signer --chain-id 1337 --downstream-http-port 22000 file-based-signer --key-file key.json --password-file password.txt',
    },
  ],
  rows: SIGNER_ROWS,
  parse: parseSignerOptions,
  async run(options) {
    const settings = signerConfig(options);
    const { log } = createLogger({
      write: (line) => process.stderr.write(line),
      clock: systemClock,
      verbosity: settings.logging.verbosity,
      format: settings.logging.format,
    });
    sayIgnored(options, log);
    sayInVain(flagsInVain({ options }, SIGNER_NEEDS), log);
    const starting = startSigner(settings, {
      log,
      version: `quorate/v${VERSION}`,
      env: process.env,
      tracing: tracingSettings(options, process.env, 'quorate-signer', log),
      writeAccess: (line) => process.stdout.write(line),
    });
    // Must come before the ports file, which tells other programs which process to stop.
    onStopSignal({ stop: async () => (await starting).close(), log });
    watchOpenFiles(log);
    const signer = await starting;
    const { host } = settings.listen;
    log('info', 'Signing proxy is up', {
      url: `${settings.tls ? 'https' : 'http'}://${host}:${signer.port}`,
      accounts: signer.accounts.length,
      node: `${settings.upstream.host}:${settings.upstream.port}`,
    });
    log('info', 'Methods that change the node are not forwarded to it', {
      allowed: settings.forwarded.join(',') || 'none: --forward allows individual ones',
    });
    if (signer.metricsPort !== undefined)
      log('info', 'Metrics are served', { port: signer.metricsPort });
    process.on('SIGHUP', () => signer.reload());
    return new Promise(() => {});
  },
};

export const auditVerifyCommand: Command = {
  name: 'signer audit-verify',
  about:
    "Checks the hash chain of a signing proxy's or a node's audit logs: consecutive files, oldest first.",
  operands: '<file>...',
  operandsMax: Number.POSITIVE_INFINITY,
  examples: [
    { does: 'a log and its predecessor', line: 'quorate signer audit-verify audit.1 audit' },
  ],
  rows: [],
  async run(options) {
    if (options.positional.length === 0)
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the files to check: quorate signer audit-verify FILE...',
      );
    const { lines, lastHash, tornBytes } = await verifyAuditLogs(options.positional);
    const torn = tornBytes > 0 ? ` (${tornBytes} bytes of a torn line follow)` : '';
    console.log(`${lines} lines are valid${torn}; the last hash is ${lastHash || 'none'}`);
    return 0;
  },
};
