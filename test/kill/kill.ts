/**
 * SIGKILL at random moments under load, a restart, and a check that nothing acknowledged is lost.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Prng } from '../../src/core/base/prng.ts';
import { until } from '../support/conditions.ts';
import {
  headOf,
  startTestDevnet,
  type TestDevnet,
  untilBlock,
  untilMined,
} from '../support/devnet.ts';
import { deployPrivate, readStore } from '../support/private-transactions.ts';
import { word } from '../support/store-contract.ts';
import { Loader } from './loader.ts';

const MOMENT_MS_MAX = 1_000;
/** Every kill with this number takes down all four nodes at once. */
const ALL_AT_ONCE_EVERY = 8;
const NODE_NAMES = ['node1', 'node2', 'node3', 'node4'];
const PTM_NAMES = ['ptm1', 'ptm2', 'ptm3', 'ptm4'];

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  readonly head: number;
}

/** Throws an error that names what was lost. `say` gets a line per kill. */
export async function runKills(
  count: number,
  seed: number,
  say: (line: string) => void,
): Promise<KillReport> {
  const random = new Prng(seed);
  const pick = (below: number) => random.below(below);
  const net = await startTestDevnet({ inProcesses: true });
  try {
    const store = await deployPrivate(net, [1]);
    const loader = new Loader(net, store, (below) => Math.floor(Math.random() * below));
    await loader.start();
    for (let turn = 1; turn <= count; turn++) {
      await pause(pick(MOMENT_MS_MAX));
      const names =
        turn % ALL_AT_ONCE_EVERY === 0 ? NODE_NAMES : [[...NODE_NAMES, ...PTM_NAMES][pick(8)]!];
      await killAndCheck(net, loader, names);
      say(
        `kill ${turn} of ${count}: ${names.join(', ')}; ${loader.acknowledged.length} acknowledged`,
      );
    }
    await loader.stop();
    await checkEverything(net, loader, store);
    const head = await headOf(net.rpc[0]!);
    await net.close();
    return { kills: count, acknowledged: loader.acknowledged.length, head };
  } catch (error) {
    await net.devnet.stop();
    throw new Error(`seed ${seed}, what is left lies in ${net.folder}`, { cause: error });
  }
}

async function killAndCheck(
  net: TestDevnet,
  loader: Loader,
  names: readonly string[],
): Promise<void> {
  const victims = names.map((name) => net.devnet.process(name));
  const held = [...loader.acknowledged];
  const heads = [...loader.heads];
  for (const victim of victims) process.kill(victim.pid, 'SIGKILL');
  await Promise.all(victims.map(({ ended }) => ended));
  await Promise.all(names.map((name) => net.devnet.restart(name)));
  for (const name of names) {
    const at = NODE_NAMES.indexOf(name);
    if (at < 0) continue;
    const head = await headOf(net.rpc[at]!);
    if (head < heads[at]!) {
      throw new Error(
        `${name} reported block ${heads[at]} before the kill and is at ${head} after it`,
      );
    }
    await checkHeld(net, at, held.filter((each) => each.at === at).slice(-200));
  }
}

/** The transaction is mined or in the pool, on the node that acknowledged it. */
async function checkHeld(
  net: TestDevnet,
  at: number,
  transactions: readonly { readonly hash: string }[],
): Promise<void> {
  for (const { hash } of transactions) {
    if ((await net.rpc[at]!.call<unknown>('eth_getTransactionByHash', hash)) === null) {
      throw new Error(`node${at + 1} acknowledged ${hash} and does not know it after the kill`);
    }
  }
}

async function checkEverything(net: TestDevnet, loader: Loader, store: string): Promise<void> {
  const [first] = net.rpc;
  let last = 0;
  for (const { hash } of loader.acknowledged) {
    last = Math.max(last, Number((await untilMined(first!, hash)).blockNumber));
  }
  const balance = async () =>
    Number(await first!.call('eth_getBalance', loader.sink, 'latest')) === loader.transfers;
  await until(`the sink holds ${loader.transfers} wei`, balance);
  for (const rpc of net.rpc) await untilBlock(rpc, last);
  for (const party of [0, 1]) {
    const value = word(loader.privateValue);
    const isThere = async () => (await readStore(net, party, store)) === value;
    await until(`node${party + 1} reads the private value ${loader.privateValue}`, isThere);
    await checkPrivateLogs(net, party, store, loader.privateValue);
  }
  if ((await readStore(net, 2, store)) !== '0x') throw new Error('node3 sees a private contract');
  await checkAgreement(net, last);
}

async function checkPrivateLogs(net: TestDevnet, at: number, address: string, count: number) {
  const filter = { fromBlock: '0x0', address };
  const logs = await net.rpc[at]!.call<{ data: string }[]>('eth_getLogs', filter);
  const wanted = Array.from({ length: count }, (_, index) => word(index + 1));
  if (logs.map(({ data }) => data).join() !== wanted.join()) {
    throw new Error(`node${at + 1} has ${logs.length} private logs, not 1 to ${count} in order`);
  }
}

async function checkAgreement(net: TestDevnet, last: number): Promise<void> {
  for (let number = 1; number <= last; number++) {
    const blocks = await Promise.all(
      net.rpc.map((rpc) =>
        rpc.call<{ hash: string }>('eth_getBlockByNumber', `0x${number.toString(16)}`, false),
      ),
    );
    if (new Set(blocks.map(({ hash }) => hash)).size !== 1) {
      throw new Error(`the nodes do not agree on block ${number}`);
    }
  }
}
