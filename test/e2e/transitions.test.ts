/**
 * One chain of processes through its transitions: IBFT to QBFT, rewards, empty block periods; then,
 * by a newer genesis file, validators from a contract and back, and the rules of Cancun. New nodes
 * sync through all of it, with permissions or without, with either gcmode.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromHex } from '../../src/core/base/hex.ts';
import { readBftExtra } from '../../src/core/chain/extra-data.ts';
import { compareAll } from '../live/mixed/agreement.ts';
import { type BftNode, BftProcesses } from '../support/bft-processes.ts';
import { until } from '../support/conditions.ts';
import { headOf } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { type GenesisFileOptions, genesisFile, TIMEOUT_CAP } from '../support/genesis-file.ts';
import { addressWords, BY_CONTRACT, contractOf } from '../support/validator-contract.ts';

const BENEFICIARY = `0x${'fe'.repeat(20)}`;
const CANDIDATE = `0x${'ca'.repeat(20)}`;
const QBFT_FROM = 5;
const REWARD_FROM = 7;
const SLOW_FROM = 9;
const FAST_FROM = 11;
const TRANSITIONS = [
  { block: QBFT_FROM, algorithm: 'qbft', ...TIMEOUT_CAP },
  { block: REWARD_FROM, miningBeneficiary: BENEFICIARY, blockReward: '20' },
  { block: SLOW_FROM, emptyblockperiodseconds: 2, blockReward: '0xa' },
  { block: FAST_FROM, emptyblockperiodseconds: 1, beneficiaryMode: 'validators' },
];
/**
 * The number of blocks after the head at that time until the contract lists the validators, and
 * until the header does again.
 */
const CONTRACT_AFTER = 4;
const HEADER_AFTER = 7;

/** Metrics that only a node which syncs has, besides those of all nodes. */
const COUNTED = [
  ...['p2p_ingress', 'p2p_egress', 'p2p_dials'],
  ...['eth_db_chaindata_disk_read', 'eth_db_chaindata_disk_size'],
  ...['eth_db_chaindata_ancient_write', 'eth_db_chaindata_ancient_size'],
];

let folder: string;
let network: BftProcesses;
let validators: readonly BftNode[];
/** The head when the newer genesis file was introduced. */
let bent = 0;

async function votesOf(node: BftNode, tag: string): Promise<readonly object[]> {
  return (await node.rpc.call<{ votes: object[] }>('istanbul_getSnapshot', tag)).votes;
}

function withTransitions(transitions: readonly object[], config: object = {}) {
  return (addresses: readonly string[]) => {
    const options: GenesisFileOptions = {
      engine: 'ibft',
      validators: addresses.slice(0, 3),
      transitions,
      config: { berlinBlock: 0, ...config },
      alloc: contractOf(addressWords(addresses.slice(0, 3))),
    };
    return genesisFile(options);
  };
}

function balanceAt(node: BftNode, block: number): Promise<string> {
  return node.rpc.call('eth_getBalance', BENEFICIARY, `0x${block.toString(16)}`);
}

async function timesOf(node: BftNode, head: number): Promise<number[]> {
  const numbers = Array.from({ length: head + 1 }, (_, number) => number);
  const blocks = numbers.map((n) =>
    node.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', `0x${n.toString(16)}`, false),
  );
  return (await Promise.all(blocks)).map(({ timestamp }) => Number(timestamp));
}

async function expectAgreement(nodes: readonly BftNode[]): Promise<number> {
  const head = await headOf(nodes[0]!.rpc);
  await network.reach(head, nodes);
  const { findings, blocks } = await compareAll(nodes, head);
  expect(findings).toEqual([]);
  expect(blocks).toEqual({ ibft: QBFT_FROM - 1, qbft: head - QBFT_FROM + 1 });
  return head;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-transitions-'));
  network = await BftProcesses.prepare({
    folder,
    kinds: Array(8).fill('q'),
    genesis: withTransitions(TRANSITIONS),
  });
  validators = network.nodes.slice(0, 3);
  network.introduce(validators);
  await Promise.all(validators.map((node) => network.begin(node)));
});

afterAll(async () => {
  await network?.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

it('IBFT becomes QBFT, rewards and periods change at their blocks, new nodes sync', async () => {
  const [first] = validators as [BftNode];
  await network.reach(QBFT_FROM + 1, validators);
  const newcomers = [network.node(4), network.node(5)];
  network.introduce([...validators, ...newcomers]);
  await Promise.all(
    newcomers.map((node, at) => network.begin(node, ['--gcmode', at === 0 ? 'full' : 'archive'])),
  );
  await network.reach(FAST_FROM + 1);
  expect(await balanceAt(first, REWARD_FROM - 1)).toBe('0x0');
  expect(await balanceAt(first, SLOW_FROM - 1)).toBe('0x28');
  expect(await balanceAt(first, FAST_FROM - 1)).toBe('0x3c');
  expect(await balanceAt(first, FAST_FROM + 1)).toBe('0x3c');
  const times = await timesOf(first, FAST_FROM);
  for (const number of [SLOW_FROM, SLOW_FROM + 1])
    expect(times[number]! - times[number - 1]!).toBeGreaterThanOrEqual(2);
  await expectAgreement(network.running);
  await first.rpc.call('istanbul_propose', CANDIDATE, true);
  await until('the vote is in a block', async () => (await votesOf(first, 'latest')).length === 1);
});

it('a newer genesis file adds transitions, and may not change past ones', async () => {
  bent = await headOf(network.node(1).rpc);
  await network.stopAll('SIGTERM');
  const [first, second, third] = validators as [BftNode, BftNode, BftNode];
  const past = [...TRANSITIONS.slice(0, 3), { ...TRANSITIONS[3], blockReward: '1' }];
  network.write(withTransitions(past)(network.nodes.map(({ address }) => address)));
  const incompatible = 'transitions.BlockReward data incompatible';
  await expect(network.init(first)).rejects.toThrow(incompatible);
  const byFlag = ['--genesis', network.genesisFile];
  await expect(second.start(byFlag)).rejects.toThrow('has ended');
  expect(second.log()).toContain(incompatible);
  await first.start();
  // Votes are in the chain, candidates are not.
  expect(await first.rpc.call('istanbul_candidates')).toEqual({});
  expect(await votesOf(first, `0x${bent.toString(16)}`)).toMatchObject([
    { validator: first.address, address: CANDIDATE, authorize: true },
  ]);
  bent = await headOf(first.rpc);
  await first.stop();
  const addresses = network.nodes.map(({ address }) => address);
  const back = {
    ...{ block: bent + HEADER_AFTER, validatorselectionmode: 'blockheader' },
    validators: addresses.slice(0, 3),
  };
  const byContract = { block: bent + CONTRACT_AFTER, ...BY_CONTRACT };
  const fork = bent + HEADER_AFTER;
  const quorate = { londonBlock: fork, shanghaiBlock: fork, cancunBlock: fork };
  network.write(withTransitions([...TRANSITIONS, byContract, back], { quorate })(addresses));
  const told = network.nodes.slice(0, 5).filter((node) => node !== third);
  await Promise.all(told.filter((node) => node !== second).map((node) => network.init(node)));
  network.introduce(network.nodes.slice(0, 7));
  network.introduce(network.nodes.slice(0, 7), 'permissioned-nodes.json');
  await Promise.all(
    [...told, third].map((node) =>
      node.start(['--permissioned', ...(node === second ? byFlag : [])]),
    ),
  );
  expect(second.log()).toContain('Took the configuration of the chain from the genesis file');
  // The third validator does not know the new transitions: its peers name it, and wait for it.
  for (const node of [first, second])
    await until(`${node.name} names the third`, () => {
      const lines = node
        .log()
        .split('\n')
        .filter((line) => line.includes(third.address));
      const said = ['does not know of a coming rule change', 'Not making a block from which other'];
      return said.every((what) => lines.some((line) => line.includes(what)));
    });
  await network.reach(bent + CONTRACT_AFTER - 1);
  expect(await headOf(first.rpc)).toBe(bent + CONTRACT_AFTER - 1);
  await third.stop();
  await network.init(third);
  await third.start(['--permissioned']);
  await network.reach(bent + HEADER_AFTER + 1);
});

it('new nodes with permission sync through all of it, others are refused', async () => {
  const newcomers = [network.node(6), network.node(7)];
  const stranger = network.node(8);
  network.introduce([stranger, ...validators]);
  network.introduce(network.nodes.slice(0, 7));
  const metricsPort = await freePorts();
  const counting = ['--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port'];
  await Promise.all([
    network.begin(newcomers[0]!, [
      ...['--permissioned', '--gcmode', 'full'],
      ...[...counting, String(metricsPort)],
    ]),
    network.begin(newcomers[1]!, ['--permissioned', '--gcmode', 'archive']),
    network.begin(stranger),
  ]);
  const known = network.nodes.slice(0, 7);
  await network.reach((await headOf(known[0]!.rpc)) + 2, known);
  const head = await expectAgreement(known);
  const [byContract, before, forked] = await Promise.all(
    [CONTRACT_AFTER + 1, HEADER_AFTER - 1, HEADER_AFTER].map((at) => {
      const tag = `0x${(bent + at).toString(16)}`;
      return newcomers[1]!.rpc.call<any>('eth_getBlockByNumber', tag, false);
    }),
  );
  expect(readBftExtra(fromHex(byContract.extraData))!.validators).toEqual([]);
  expect(before.baseFeePerGas).toBeUndefined();
  expect(forked).toMatchObject({ baseFeePerGas: '0x0', blobGasUsed: '0x0', withdrawals: [] });
  const times = await timesOf(newcomers[0]!, head);
  const fast = times.slice(FAST_FROM).map((time, at) => time - times[FAST_FROM + at - 1]!);
  expect(Math.min(...fast)).toBe(1);
  expect(await headOf(stranger.rpc)).toBe(0);
  expect(Number(await stranger.rpc.call('net_peerCount'))).toBe(0);
  const page = await fetch(`http://127.0.0.1:${metricsPort}/debug/metrics`);
  const figures = (await page.json()) as Record<string, number>;
  expect(figures.chain_execution_count).toBeGreaterThanOrEqual(head);
  for (const name of COUNTED) expect(figures[name], name).toBeGreaterThan(0);
});
