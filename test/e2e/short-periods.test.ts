/**
 * A QBFT chain of processes with a block every 200 ms from a transition on: blocks within a second
 * share a timestamp, a validator is killed under load and comes back, and a new node syncs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonRpcProvider, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareAll } from '../live/mixed/agreement.ts';
import { type BftNode, BftProcesses } from '../support/bft-processes.ts';
import { headOf } from '../support/devnet.ts';
import { CHAIN_ID, genesisFile, testSecretKey } from '../support/genesis-file.ts';

const PERIOD_MS = 200;
const SHORT_FROM = 3;
const MANY = 60;
const SETTINGS = { xblockperiodmilliseconds: PERIOD_MS, xrequesttimeoutmilliseconds: 1000 };

let folder: string;
let network: BftProcesses;
let validators: readonly BftNode[];

const genesis = (period: object) => (addresses: readonly string[]) =>
  genesisFile({
    engine: 'qbft',
    validators: addresses.slice(0, 4),
    transitions: [{ block: SHORT_FROM, ...period }],
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-short-'));
  network = await BftProcesses.prepare({
    folder,
    kinds: Array(5).fill('q'),
    genesis: genesis(SETTINGS),
  });
  validators = network.nodes.slice(0, 4);
  network.introduce(validators);
  await Promise.all(validators.map((node) => network.begin(node)));
});

afterAll(async () => {
  await network?.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

async function timesOf(node: BftNode, head: number): Promise<number[]> {
  const numbers = Array.from({ length: head + 1 }, (_, number) => number);
  const blocks = numbers.map((n) =>
    node.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', `0x${n.toString(16)}`, false),
  );
  return (await Promise.all(blocks)).map(({ timestamp }) => Number(timestamp));
}

it('blocks within a second share a timestamp, which never decreases', async () => {
  await network.reach(MANY);
  const times = await timesOf(validators[0]!, MANY);
  const steps = times.slice(1).map((time, at) => time - times[at]!);
  expect(Math.min(...steps.slice(0, SHORT_FROM - 1))).toBeGreaterThanOrEqual(1);
  expect(Math.min(...steps)).toBe(0);
  // On any machine, no second has more blocks than block periods.
  const perSecond = new Map<number, number>();
  for (const time of times.slice(SHORT_FROM)) perSecond.set(time, (perSecond.get(time) ?? 0) + 1);
  expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(1000 / PERIOD_MS + 1);
});

it('three continue when one is killed; it comes back, and a new node syncs', async () => {
  const [first, second, third] = validators as [BftNode, BftNode, BftNode];
  const provider = new JsonRpcProvider(second.rpc.url, CHAIN_ID, {
    pollingInterval: 50,
    staticNetwork: true,
  });
  const wallet = new Wallet(testSecretKey(0x11), provider);
  await third.stop('SIGKILL');
  const to = `0x${'ab'.repeat(20)}`;
  for (let nonce = 0; nonce < 5; nonce++) {
    const sent = await wallet.sendTransaction({
      to,
      value: 1n,
      gasPrice: 0n,
      nonce,
      gasLimit: 21_000n,
    });
    expect((await sent.wait())!.status).toBe(1);
  }
  provider.destroy();
  await third.start();
  const newcomer = network.node(5);
  network.introduce(network.nodes);
  await network.begin(newcomer);
  const head = await headOf(first.rpc);
  await network.reach(head + 20, network.nodes);
  expect(await newcomer.rpc.call('eth_getBalance', to, 'latest')).toBe('0x5');
  const { findings } = await compareAll(network.nodes, head + 20);
  expect(findings).toEqual([]);
});

it('an invalid period is refused, and so is a change of past ones', async () => {
  const [first] = validators as [BftNode];
  await network.stopAll('SIGTERM');
  const addresses = network.nodes.map(({ address }) => address);
  const write = (settings: object) =>
    network.write(genesis({ ...SETTINGS, ...settings })(addresses));
  write({ xblockperiodmilliseconds: 20 });
  await expect(network.init(first)).rejects.toThrow(
    'config.transitions[0].xblockperiodmilliseconds is 20: it takes 50 to 1000 milliseconds',
  );
  write({ xblockperiodmilliseconds: 500 });
  await expect(network.init(first)).rejects.toThrow('BlockPeriodMilliseconds');
});
