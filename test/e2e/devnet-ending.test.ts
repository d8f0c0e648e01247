/**
 * However a devnet in the foreground ends, no process is left, and nothing that it acknowledged is
 * lost.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../../src/io/host/process-table.ts';
import { isFree } from '../../src/services/devnet/free-ports.ts';
import { until } from '../support/conditions.ts';
import { MAIN, PROJECT, untilMined } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Rpc, rpcClient } from '../support/rpc-client.ts';
import { scratchFolder } from '../support/scratch.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const;
/** Loaded into every process of the network: after SIGUSR2 it blocks forever. */
const STALL =
  "process.on('SIGUSR2', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });";

const STALLED_MS = 1_000;

interface World {
  readonly folder: string;
  readonly ports: number;
}

interface Started extends World {
  /** The process that was started: the devnet itself, or npm as its parent. */
  readonly front: ChildProcess;
  readonly pids: readonly number[];
  readonly rpc: readonly Rpc[];
  readonly from: string;
  printed(): string;
}

async function newWorld(): Promise<World> {
  return { folder: scratchFolder('quorate-ending-'), ports: await freePorts() };
}

const fileOf = ({ folder }: World) => join(folder, 'net', 'devnet.json');

const argsOf = ({ folder, ports }: World) => [
  ...['--folder', join(folder, 'net'), '--ports-from', String(ports)],
];

async function started(
  world: World,
  [program, ...args]: readonly string[],
  env = {},
  atEnd = onTestFinished,
): Promise<Started> {
  const front = endsWithTest(
    spawn(program!, [...args, ...argsOf(world)], {
      cwd: PROJECT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
    atEnd,
  );
  let printed = '';
  front.stdout.on('data', (data) => {
    printed += data;
  });
  await until('it is up', () => printed.includes('Ctrl-C'));
  const description = JSON.parse(readFileSync(fileOf(world), 'utf8'));
  const { nodes, signer, staking, ramp, accounts } = description;
  const pids = nodes.flatMap((node: any) => [node.pid, node.ptm.pid]);
  pids.push(signer.pid, staking.pid, ramp.pid);
  expect(pids.filter(isAlive)).toHaveLength(11);
  const rpc = nodes.map((node: any) => rpcClient(node.rpc));
  return { ...world, front, pids, rpc, from: accounts[0].address, printed: () => printed };
}

const DEVNET = [process.execPath, MAIN, 'devnet'];
const NPM = ['npm', 'start', '--silent', '--'];

async function untilGone({ pids, front, ports }: Started): Promise<void> {
  await until('nothing of it is left', () => ![...pids, front.pid!].some(isAlive));
  for (let port = ports; port < ports + 23; port++)
    expect([port, await isFree(port)]).toEqual([port, true]);
}

describe('a signal ends everything, and nothing is lost', () => {
  let world: World;
  /** The last acknowledged receipt before the network ended. */
  let receipt: any;
  beforeAll(async () => {
    world = await newWorld();
  });

  async function next(front: readonly string[]): Promise<Started> {
    const net = await started(world, front);
    const [rpc] = net.rpc;
    if (receipt) expect(await untilMined(rpc!, receipt.transactionHash)).toEqual(receipt);
    const transaction = { from: net.from, to: net.from, value: '0x1' };
    receipt = await untilMined(rpc!, await rpc!.call('eth_sendTransaction', transaction));
    return net;
  }

  it.each(SIGNALS)('%s of the devnet', async (signal) => {
    const net = await next(DEVNET);
    const ended = once(net.front, 'exit');
    process.kill(net.front.pid!, signal);
    await untilGone(net);
    const isKilled = signal === 'SIGKILL';
    expect(await ended).toEqual(isKilled ? [null, signal] : [0, null]);
    expect(existsSync(fileOf(world))).toBe(isKilled);
  });

  it.each(SIGNALS)('%s of npm as its parent', async (signal) => {
    const net = await next(NPM);
    process.kill(net.front.pid!, signal);
    await untilGone(net);
    await until('the file of the network is gone', () => !existsSync(fileOf(world)));
  });
});

describe.concurrent('a validator that is too busy to receive the signal', () => {
  async function busy(atEnd: typeof onTestFinished): Promise<Started> {
    const world = await newWorld();
    const stall = join(world.folder, 'stall.mjs');
    writeFileSync(stall, STALL);
    const net = await started(world, DEVNET, { NODE_OPTIONS: `--import=${stall}` }, atEnd);
    process.kill(net.pids[0]!, 'SIGUSR2');
    await until('node 1 does not answer', async () => {
      const answer = fetch(net.rpc[0]!.url, { signal: AbortSignal.timeout(STALLED_MS) });
      return answer.then(
        () => false,
        () => true,
      );
    });
    return net;
  }

  it.for(['SIGTERM', 'SIGKILL'] as const)('ends at %s of the devnet', async (signal, context) => {
    const net = await busy(context.onTestFinished);
    process.kill(net.front.pid!, signal);
    await untilGone(net);
  });

  it('ends immediately at a second Ctrl-C', async (context) => {
    const net = await busy(context.onTestFinished);
    process.kill(net.front.pid!, 'SIGINT');
    await until('it is in haste', () => {
      // Of two SIGINTs within a second, one is taken for npm's copy of the other.
      if (isAlive(net.front.pid!)) process.kill(net.front.pid!, 'SIGINT');
      return net.printed().includes('Not waiting any longer');
    });
    await untilGone(net);
  });
});

it('a signal while it starts ends what has started', async () => {
  const world = await newWorld();
  const [program, ...args] = [...DEVNET, ...argsOf(world)];
  const front = endsWithTest(spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
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
  await untilGone({ ...world, front, pids: [], rpc: [], from: '', printed: () => printed });
});
