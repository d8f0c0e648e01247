import { describe, expect, it } from 'vitest';
import type { RpcCall } from '../../../../io/ledger-client/rpc-batch.ts';
import { askNode, type NodeAnswers } from './ask-node.ts';
import { planMigration } from './plan.ts';

const ADDRESSES = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`);
const QBFT = { chainId: 1337, isQuorum: true, qbft: { epochlength: 100 } };

function answersOf(number: number, change: Partial<NodeAnswers> = {}): NodeAnswers {
  return {
    ...{ url: `http://node${number}`, away: undefined, version: 'Geth/v1.10.3(quorum-v24.4.1)' },
    ...{ head: 1000, genesisHash: '0x11', isSyncing: false, peers: 3, nodeId: String(number) },
    ...{ datadir: `/data/${number}`, config: QBFT, consensus: 'istanbul', protocols: ['eth'] },
    ...{ isQlightServer: false, plugins: [], address: ADDRESSES[number], validators: ADDRESSES },
    proposals: Object.fromEntries(ADDRESSES.map((address) => [address, 16])),
    ...{ raftRole: undefined, raftMembers: undefined, transactions: 50_000, hasPrivate: true },
    ...change,
  };
}

const four = (change: Partial<NodeAnswers> = {}) => [0, 1, 2, 3].map((n) => answersOf(n, change));

describe('a BFT network', () => {
  it('moves observers first, then one validator after the other', () => {
    const observer = answersOf(4, { address: `0x${'e'.repeat(40)}` });
    const { steps, blockers, warnings, engine } = planMigration([...four(), observer]);
    expect([blockers, warnings, engine]).toEqual([[], [], 'qbft']);
    expect(steps.map(({ role }) => role)).toEqual(['observer', ...Array(4).fill('validator')]);
    expect(steps.map(({ left }) => left)).toEqual([
      undefined,
      ...Array(4).fill({ voting: 3, needed: 3 }),
    ]);
    expect(steps[0]!.seconds).toBe(5);
  });

  it.each<[string, readonly NodeAnswers[], RegExp]>([
    [
      'a validator that is away already',
      four({ proposals: Object.fromEntries(ADDRESSES.slice(1).map((one) => [one, 21])) }),
      /3 of 4 validators vote and 3 must/,
    ],
    [
      'two validators',
      [0, 1].map((n) => answersOf(n, { validators: ADDRESSES.slice(0, 2), proposals: {} })),
      /2 of 2 validators vote and 2 must/,
    ],
    ['clique', four({ consensus: 'clique' }), /runs clique, which Quorate does not have/],
    ['qlight', four({ protocols: ['eth', 'qlight'] }), /uses qlight/],
    ['a server of qlight', four({ isQlightServer: true }), /serves clients of qlight/],
    ['plugins', four({ plugins: ['account'] }), /has plugins \(account\)/],
    [
      'another chain',
      [...four(), answersOf(4, { genesisHash: '0x22' })],
      /another chain than http:\/\/node0/,
    ],
    ['one that lags', [...four(), answersOf(4, { head: 500 })], /is at block 500 of 1000/],
    [
      'one that does not answer',
      [...four(), answersOf(4, { away: 'it does not answer' })],
      /node4: it does not answer/,
    ],
    [
      'IBFT with QBFT ahead',
      four({
        config: {
          ...{ chainId: 1337, isQuorum: true, ibft: {} },
          transitions: [{ block: 2000, algorithm: 'qbft' }],
        },
      }),
      /will change from IBFT to QBFT \(transition at block 2000/,
    ],
    [
      'a configuration that is not taken',
      four({ config: { isQuorum: true, qbft: 3 } }),
      /is refused/,
    ],
    [
      'nobody who tells the validators',
      four({ validators: undefined }),
      /no node reports the validators/,
    ],
  ])('is stopped by %s', (_name, nodes, why) => {
    const { blockers } = planMigration(nodes);
    expect(blockers.join('\n')).toMatch(why);
  });

  it('says what is only to be looked at', () => {
    const past = {
      chainId: 1,
      isQuorum: true,
      ibft: {},
      transitions: [{ block: 5, algorithm: 'qbft' }],
    };
    expect(planMigration(four({ config: past })).blockers).toEqual([]);
    const changes = [
      { block: 2_000, blockperiodseconds: 2 },
      { block: 500_000, algorithm: 'qbft' },
    ];
    const far = planMigration(four({ config: { ...past, transitions: changes } }));
    expect(far.blockers).toEqual([]);
    expect(far.warnings).toHaveLength(2);
    const later = { ...QBFT, transitions: [{ block: 3000, blockperiodseconds: 2 }] };
    expect(planMigration(four({ config: later })).warnings).toEqual([
      'there is a transition at block 3000: all members should be running then',
    ]);
    expect(planMigration(four().slice(1)).warnings).toEqual([
      `no endpoint was named for the validators ${ADDRESSES[0]}: their steps are not in this plan`,
    ]);
  });

  it('keeps the older quorum of 2F + 1', () => {
    const config = { chainId: 1, isQuorum: true, istanbul: { epoch: 100, policy: 0 } };
    const three = [0, 1, 2].map((n) =>
      answersOf(n, { config, validators: ADDRESSES.slice(0, 3), proposals: {} }),
    );
    expect(planMigration(three).steps[0]!.left).toEqual({ voting: 2, needed: 1 });
  });
});

describe('a Raft cluster', () => {
  const members = (active: readonly boolean[]) =>
    active.map((nodeActive, i) => {
      const role = i === 1 ? 'minter' : i === 3 ? 'learner' : 'verifier';
      return { raftId: i + 1, nodeId: String(i), role, nodeActive };
    });
  const cluster = (active: readonly boolean[]) =>
    active.map((_, i) => {
      const raftMembers = members(active);
      const raftRole = raftMembers[i]!.role;
      const change = {
        validators: undefined,
        consensus: 'raft',
        config: { isQuorum: true, chainId: 1 },
      };
      return answersOf(i, { ...change, raftMembers, raftRole });
    });

  it('moves the minter last', () => {
    const { steps, blockers } = planMigration(cluster([true, true, true, true]));
    expect(blockers).toEqual([]);
    expect(steps.map(({ role }) => role)).toEqual(['learner', 'verifier', 'verifier', 'minter']);
    expect(steps.at(-1)!.left).toEqual({ voting: 2, needed: 2 });
  });

  it('is stopped where one that leaves would be one too many', () => {
    const { blockers } = planMigration(cluster([true, true, false]));
    expect(blockers.join()).toContain('2 of 3 peers of the cluster are running and 2 must');
  });
});

it('takes what a node does not offer for unknown, and tells who does not answer', async () => {
  const poor = {
    url: 'http://poor',
    ask: async (calls: readonly RpcCall[]) =>
      calls.map(({ method }) =>
        method === 'eth_blockNumber'
          ? { result: '0x5' }
          : method === 'eth_getBlockByNumber'
            ? { result: { hash: '0x11', transactions: [{ v: '0x26' }] } }
            : { error: { code: -32601, message: 'the method does not exist' } },
      ),
  };
  expect(await askNode(poor)).toMatchObject({
    ...{ head: 5, validators: undefined, config: undefined, transactions: 5, hasPrivate: true },
  });
  const gone = { url: 'http://gone', ask: () => Promise.reject(new Error('refused')) };
  expect(await askNode(gone)).toMatchObject({ away: 'refused', url: 'http://gone' });
});
