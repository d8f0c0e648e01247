/** However a devnet in the foreground ends, nothing of it is left, and nothing that it acknowledged is lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/io/host/process-table.ts';
import { isFree } from '../../src/services/devnet/free-ports.ts';
import { until } from '../support/conditions.ts';
import { MAIN, PROJECT, untilMined } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Rpc, rpcClient } from '../support/rpc-client.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const;
/** In every process of the network: SIGUSR2 makes it compute for ever. */
const SPIN = "process.on('SIGUSR2', () => { for (;;); });";

const BUSY_MS = 1_000;

interface Started {
  /** What was started: the devnet itself, or npm in front of it. */
  readonly front: ChildProcess;
  readonly pids: readonly number[];
  readonly rpc: readonly Rpc[];
  readonly from: string;
  printed(): string;
}

let folder: string;
let ports: number;
let running: number[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-ending-'));
  ports = await freePorts();
  running = [];
});
afterEach(() => {
  for (const pid of running.filter(isAlive)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const file = () => join(folder, 'net', 'devnet.json');

async function started(command: string, args: readonly string[], more = {}): Promise<Started> {
  const options = ['--folder', join(folder, 'net'), '--ports-from', String(ports)];
  const front = endsWithTest(
    spawn(command, [...args, ...options], {
      cwd: PROJECT,
      env: { ...process.env, ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  let printed = '';
  front.stdout.on('data', (data) => {
    printed += data;
  });
  await until('it is up', () => printed.includes('Ctrl-C'));
  const { nodes, signer, staking, ramp, accounts } = JSON.parse(readFileSync(file(), 'utf8'));
  const pids = nodes.flatMap((node: any) => [node.pid, node.ptm.pid]);
  pids.push(signer.pid, staking.pid, ramp.pid);
  expect(pids.filter(isAlive)).toHaveLength(11);
  running.push(...pids, front.pid!);
  const rpc = nodes.map((node: any) => rpcClient(node.rpc));
  return { front, pids, rpc, from: accounts[0].address, printed: () => printed };
}

const devnet = (more = {}) => started(process.execPath, [MAIN, 'devnet'], more);
const npm = () => started('npm', ['start', '--silent', '--']);

async function untilGone({ pids, front }: Started): Promise<void> {
  await until('nothing of it is left', () => ![...pids, front.pid!].some(isAlive));
  for (let port = ports; port < ports + 23; port++)
    expect([port, await isFree(port)]).toEqual([port, true]);
}

describe.each(SIGNALS)('%s', (signal) => {
  it('of the devnet ends everything, and loses nothing', async () => {
    const net = await devnet();
    const [rpc] = net.rpc;
    const transaction = { from: net.from, to: net.from, value: '0x1' };
    const receipt = await untilMined(rpc!, await rpc!.call('eth_sendTransaction', transaction));
    const ended = once(net.front, 'exit');
    process.kill(net.front.pid!, signal);
    await untilGone(net);
    const isKilled = signal === 'SIGKILL';
    expect(await ended).toEqual(isKilled ? [null, signal] : [0, null]);
    expect(existsSync(file())).toBe(isKilled);
    if (!isKilled) return;
    const again = await devnet();
    expect(await untilMined(again.rpc[0]!, receipt.transactionHash)).toEqual(receipt);
    again.front.kill('SIGTERM');
    await untilGone(again);
  });

  it('of npm in front of it ends everything', async () => {
    const net = await npm();
    process.kill(net.front.pid!, signal);
    await untilGone(net);
    await until('the file of the network is gone', () => !existsSync(file()));
  });
});

describe('a validator that is busy', () => {
  async function busy(): Promise<Started> {
    const spin = join(folder, 'spin.mjs');
    writeFileSync(spin, SPIN);
    const net = await devnet({ NODE_OPTIONS: `--import=${spin}` });
    process.kill(net.pids[0]!, 'SIGUSR2');
    await until('node 1 is too busy to answer', async () => {
      const answer = fetch(net.rpc[0]!.url, { signal: AbortSignal.timeout(BUSY_MS) });
      return answer.then(
        () => false,
        () => true,
      );
    });
    return net;
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)('ends at %s of the devnet', async (signal) => {
    const net = await busy();
    process.kill(net.front.pid!, signal);
    await untilGone(net);
  });

  it('ends at once at a second Ctrl-C', async () => {
    const net = await busy();
    process.kill(net.front.pid!, 'SIGINT');
    await until('it is in haste', () => {
      // Of two within a second one came from npm.
      if (isAlive(net.front.pid!)) process.kill(net.front.pid!, 'SIGINT');
      return net.printed().includes('Not waiting any longer');
    });
    await untilGone(net);
  });
});

it('a signal while it starts ends what has started', async () => {
  const args = [MAIN, 'devnet', '--folder', join(folder, 'net'), '--ports-from', String(ports)];
  const front = endsWithTest(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  running.push(front.pid!);
  let printed = '';
  for (const stream of [front.stdout, front.stderr])
    stream.on('data', (data) => {
      printed += data;
    });
  await until('its managers are up', () => printed.includes('managers are up'));
  const ended = once(front, 'exit');
  front.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
  expect(printed).toContain('stopped before the network was up: SIGTERM');
  await untilGone({ front, pids: [], rpc: [], from: '', printed: () => printed });
});
