import { describe, expect, it } from 'vitest';
import { keccak256 } from '../base/keccak.ts';
import { numberToBytes } from '../base/quantity.ts';
import { BlockGossip } from './block-gossip.ts';
import { Gossip } from './gossip.ts';
import type { GossipEffect, GossipTransaction } from './gossip-types.ts';
import { KnownHashes } from './known-hashes.ts';

function transaction(n: number, size = 100): GossipTransaction {
  return { hash: keccak256(numberToBytes(n + 1)), raw: new Uint8Array(size), type: 0 };
}

const OWN_DUE = { kind: 'ownDue' } as const;
const PASSED_ON_DUE = { kind: 'passedOnDue' } as const;
const UNHEARD_DUE = { kind: 'unheardDue' } as const;
const requestDue = (requestId: bigint) => ({ kind: 'requestDue', peer: 'p0', requestId }) as const;

function sent(effects: readonly GossipEffect[], kind: 'sendTransactions' | 'announce') {
  return effects.flatMap((e) =>
    e.kind === kind ? [[e.peer, e.transactions.length] as const] : [],
  );
}

function addressOf(peer: number): Uint8Array {
  return new Uint8Array(20).fill(peer + 1);
}

function withPeers(count: number): Gossip {
  const gossip = new Gossip();
  for (let i = 0; i < count; i++)
    gossip.step({ kind: 'joined', peer: `p${i}`, address: addressOf(i) });
  return gossip;
}

describe('transactions out', () => {
  it('gather for 5 ms and go to every peer that lacks them, once', () => {
    const gossip = withPeers(2);
    const transactions = [transaction(1), transaction(2)];
    expect(gossip.step({ kind: 'admitted', transactions })).toEqual([
      { kind: 'wake', afterMs: 5, due: OWN_DUE },
    ]);
    const effects = gossip.step(OWN_DUE);
    expect(sent(effects, 'sendTransactions')).toEqual([
      ['p0', 2],
      ['p1', 2],
    ]);
    gossip.step({ kind: 'admitted', transactions });
    expect(sent(gossip.step(OWN_DUE), 'sendTransactions')).toEqual([]);
  });

  it('leave every 25 ms while more keep coming, and after 5 ms again once there were none', () => {
    const gossip = withPeers(1);
    const wakes = (effects: readonly GossipEffect[]) =>
      effects.flatMap((e) => (e.kind === 'wake' ? [e.afterMs] : []));
    const admit = (n: number) => gossip.step({ kind: 'admitted', transactions: [transaction(n)] });
    expect(wakes(admit(1))).toEqual([5]);
    expect(wakes(gossip.step(OWN_DUE))).toEqual([25]);
    expect([admit(2), admit(3)]).toEqual([[], []]);
    const effects = gossip.step(OWN_DUE);
    expect(sent(effects, 'sendTransactions')).toEqual([['p0', 2]]);
    expect(wakes(effects)).toEqual([25]);
    expect(gossip.step(OWN_DUE)).toEqual([]);
    expect(wakes(admit(4))).toEqual([5]);
  });

  it('what a peer sent is announced to the others, unless they announce it first', () => {
    const gossip = withPeers(3);
    const transactions = [transaction(1), transaction(2)];
    const hashes = transactions.map(({ hash }) => hash);
    gossip.step({ kind: 'received', peer: 'p0', hashes, requestId: undefined });
    expect(gossip.step({ kind: 'admitted', transactions })).toEqual([
      { kind: 'wake', afterMs: 50, due: PASSED_ON_DUE },
    ]);
    gossip.step({ kind: 'announced', peer: 'p1', hashes: [hashes[0]!], wanted: [] });
    const effects = gossip.step(PASSED_ON_DUE);
    expect(sent(effects, 'sendTransactions')).toEqual([]);
    expect(sent(effects, 'announce')).toEqual([
      ['p1', 1],
      ['p2', 2],
    ]);
  });

  it('what a peer sent is announced to its own peers only if they still lack it seconds later', () => {
    const gossip = withPeers(4);
    gossip.step({ kind: 'told', peer: 'p0', connections: [addressOf(1), addressOf(2)] });
    const transactions = [transaction(1)];
    const hashes = transactions.map(({ hash }) => hash);
    gossip.step({ kind: 'received', peer: 'p0', hashes, requestId: undefined });
    gossip.step({ kind: 'admitted', transactions });
    const effects = gossip.step(PASSED_ON_DUE);
    expect(sent(effects, 'announce')).toEqual([['p3', 1]]);
    expect(effects).toContainEqual({ kind: 'wake', afterMs: 5_000, due: UNHEARD_DUE });
    gossip.step({ kind: 'announced', peer: 'p1', hashes, wanted: [] });
    expect(sent(gossip.step(UNHEARD_DUE), 'announce')).toEqual([]);
    expect(sent(gossip.step(UNHEARD_DUE), 'announce')).toEqual([['p2', 1]]);
    expect(gossip.step(UNHEARD_DUE)).toEqual([]);
  });

  it('what the peer of a peer that has left may lack is announced to it at once', () => {
    const gossip = withPeers(2);
    gossip.step({ kind: 'told', peer: 'p0', connections: [addressOf(1)] });
    const { hash } = transaction(1);
    gossip.step({ kind: 'received', peer: 'p0', hashes: [hash], requestId: undefined });
    gossip.step({ kind: 'admitted', transactions: [transaction(1)] });
    gossip.step({ kind: 'left', peer: 'p0' });
    expect(sent(gossip.step(PASSED_ON_DUE), 'announce')).toEqual([['p1', 1]]);
  });

  it('only so many announcements wait', () => {
    const gossip = withPeers(2);
    gossip.step({ kind: 'told', peer: 'p0', connections: [addressOf(1)] });
    const announced = Array.from({ length: 9 }, (_, part) => {
      const transactions = Array.from({ length: 4 }, (_, i) => transaction(part * 4 + i, 500_000));
      const hashes = transactions.map(({ hash }) => hash);
      gossip.step({ kind: 'received', peer: 'p0', hashes, requestId: undefined });
      gossip.step({ kind: 'admitted', transactions });
      return sent(gossip.step(PASSED_ON_DUE), 'announce');
    });
    expect(announced.slice(0, 8).flat()).toEqual([]);
    expect(announced[8]).toEqual([['p1', 4]]);
  });

  it('what has waited for long goes to peers that know it too', () => {
    const gossip = withPeers(20);
    const transactions = [transaction(1)];
    gossip.step({ kind: 'admitted', transactions });
    gossip.step(OWN_DUE);
    const effects = gossip.step({ kind: 'unmined', transactions });
    expect(sent(effects, 'sendTransactions')).toHaveLength(16);
    expect(sent(effects, 'announce')).toEqual([]);
  });

  it('8 KB leave at once', () => {
    const gossip = withPeers(1);
    const transactions = Array.from({ length: 100 }, (_, i) => transaction(i));
    const effects = gossip.step({ kind: 'admitted', transactions });
    expect(sent(effects, 'sendTransactions')).toEqual([['p0', 82]]);
  });

  it('peers beyond the sixteenth hear hashes', () => {
    const gossip = withPeers(20);
    gossip.step({ kind: 'admitted', transactions: [transaction(1)] });
    const effects = gossip.step(OWN_DUE);
    expect(sent(effects, 'sendTransactions').length).toBe(16);
    expect(sent(effects, 'announce').map(([peer]) => peer)).toEqual(['p16', 'p17', 'p18', 'p19']);
  });

  it('a large pool is introduced by hashes, in parts', () => {
    const gossip = withPeers(1);
    const transactions = Array.from({ length: 5_000 }, (_, i) => transaction(i));
    const effects = gossip.step({ kind: 'introduce', peer: 'p0', transactions });
    expect(sent(effects, 'announce')).toEqual([
      ['p0', 4_096],
      ['p0', 904],
    ]);
  });
});

describe('transactions in', () => {
  const hashes = [transaction(1).hash, transaction(2).hash];
  const requests = (effects: readonly GossipEffect[]) =>
    effects.flatMap((e) =>
      e.kind === 'getTransactions' ? [[e.peer, e.hashes.length, e.requestId] as const] : [],
    );

  it('what two announce is asked of one, and of the other when the first does not answer', () => {
    const gossip = withPeers(2);
    const [first] = requests(
      gossip.step({ kind: 'announced', peer: 'p0', hashes, wanted: hashes }),
    );
    expect(first).toEqual(['p0', 2, 1n]);
    expect(
      requests(gossip.step({ kind: 'announced', peer: 'p1', hashes, wanted: hashes })),
    ).toEqual([]);
    expect(requests(gossip.step(requestDue(2n)))).toEqual([]);
    expect(requests(gossip.step(requestDue(1n)))).toEqual([['p1', 2, 2n]]);
  });

  it('what a peer left open is asked of another when it goes', () => {
    const gossip = withPeers(2);
    gossip.step({ kind: 'announced', peer: 'p0', hashes, wanted: hashes });
    gossip.step({ kind: 'announced', peer: 'p1', hashes, wanted: hashes });
    expect(requests(gossip.step({ kind: 'left', peer: 'p0' }))).toEqual([['p1', 2, 2n]]);
  });

  it('what came is not asked for again', () => {
    const gossip = withPeers(2);
    gossip.step({ kind: 'announced', peer: 'p0', hashes, wanted: hashes });
    gossip.step({ kind: 'received', peer: 'p0', hashes, requestId: 1n });
    expect(
      requests(gossip.step({ kind: 'announced', peer: 'p1', hashes, wanted: hashes })),
    ).toEqual([]);
  });

  it('a peer that announces and never gives is dropped', () => {
    const gossip = withPeers(1);
    let effects: readonly GossipEffect[] = [];
    for (let i = 0; i < 5; i++) {
      const hash = transaction(i).hash;
      gossip.step({ kind: 'announced', peer: 'p0', hashes: [hash], wanted: [hash] });
      effects = gossip.step(requestDue(BigInt(i + 1)));
    }
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'misbehaved', peer: 'p0', reason: 3 }),
    );
  });

  const roomDue = (peer: string) => ({ kind: 'roomDue', peer }) as const;
  const inVain = (canAsk: boolean) =>
    ({
      kind: 'received',
      peer: 'p0',
      hashes,
      requestId: undefined,
      turnedAway: { hashes, canAsk },
    }) as const;

  it('what there was no room for is asked of its sender again, after a second', () => {
    const gossip = withPeers(1);
    expect(gossip.step(inVain(true))).toEqual([
      { kind: 'wake', afterMs: 1_000, due: roomDue('p0') },
    ]);
    expect(gossip.step(inVain(true))).toEqual([]);
    expect(requests(gossip.step(roomDue('p0')))).toEqual([['p0', 2, 1n]]);
    gossip.step({ kind: 'received', peer: 'p0', hashes, requestId: 1n });
    expect(requests(gossip.step(roomDue('p0')))).toEqual([]);
  });

  it('transactions announced by a peer that does not answer are requested from others', () => {
    const gossip = withPeers(2);
    expect(gossip.step(inVain(false))).toEqual([]);
    expect(
      requests(gossip.step({ kind: 'announced', peer: 'p1', hashes, wanted: hashes })),
    ).toEqual([['p1', 2, 1n]]);
  });

  it('what did not fit into a reply is asked for again, and what the peer lacks is not', () => {
    const gossip = withPeers(1);
    const four = [1, 2, 3, 4].map((n) => transaction(n).hash);
    gossip.step({ kind: 'announced', peer: 'p0', hashes: four, wanted: four });
    const reply = (came: readonly Uint8Array[], requestId: bigint) =>
      requests(
        gossip.step({ kind: 'received', peer: 'p0', hashes: came as typeof four, requestId }),
      );
    expect(reply([four[1]!], 1n)).toEqual([['p0', 2, 2n]]);
    expect(reply([], 2n)).toEqual([]);
  });

  it('an announcement flood is bounded', () => {
    const gossip = withPeers(1);
    const many = Array.from({ length: 20_000 }, (_, i) => transaction(i).hash);
    gossip.step({ kind: 'announced', peer: 'p0', hashes: many, wanted: many });
    let asked = 256;
    for (let id = 1n; ; id++) {
      const [next] = requests(
        gossip.step({ kind: 'received', peer: 'p0', hashes: [], requestId: id }),
      );
      if (!next) break;
      asked += next[1];
    }
    expect(asked).toBe(16_384);
  });
});

it('known hashes forget the oldest', () => {
  const known = new KnownHashes(2);
  expect([known.add('a'), known.add('a'), known.add('b'), known.add('c')]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect([known.has('a'), known.has('b'), known.has('c')]).toEqual([false, true, true]);
});

it('blocks go whole to the square root of those that lack them', () => {
  const gossip = new BlockGossip();
  for (let i = 0; i < 10; i++) gossip.joined(`p${i}`);
  const { hash } = transaction(1);
  gossip.knows('p0', hash);
  expect(gossip.spread(hash, () => false)).toEqual({
    whole: ['p1', 'p2', 'p3'],
    hash: ['p4', 'p5', 'p6', 'p7', 'p8', 'p9'],
  });
  expect(gossip.spread(hash, () => false)).toEqual({ whole: [], hash: [] });
});

it('validators, to whom a block was proposed, get only its hash', () => {
  const gossip = new BlockGossip();
  for (let i = 0; i < 6; i++) gossip.joined(`p${i}`);
  const isValidator = (peer: string) => peer !== 'p2' && peer !== 'p4';
  expect(gossip.spread(transaction(1).hash, isValidator)).toEqual({
    whole: ['p2'],
    hash: ['p4', 'p0', 'p1', 'p3', 'p5'],
  });
});
