import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { makeRawChain } from '../../../test/support/raw-chain.ts';
import { equalBytes, keyOf } from '../base/bytes.ts';
import { Prng } from '../base/prng.ts';
import { encodeHeader } from '../chain/header.ts';
import type { RawBody } from '../wire/eth.ts';
import { BODY_BYTES_AHEAD_MAX, HEADERS_AHEAD_MAX } from './pipeline.ts';
import { Sync } from './sync.ts';
import type { SyncEffect, SyncInput } from './sync-types.ts';

const CHAIN = makeRawChain(1_600);
const FORGED = makeRawChain(1_600, { salt: 1 });
const FORGED_KEYS = new Set(FORGED.map((block) => keyOf(block.hash)));
const NUMBER_OF = new Map([...CHAIN, ...FORGED].map((b) => [keyOf(b.hash), b.header.number]));
/** This test's verifier recognises a header without seals by this timestamp. */
const BAD_SEAL_TIME = 77_777_777n;
/** Behaviours of a peer; none may keep the node from syncing the chain. */
const MANNERS = [
  'honest',
  'slow',
  'silent',
  'leaves',
  'short',
  'empty',
  'unlinked',
  'tooMany',
  'garbage',
  'forged',
  'badSeal',
  'badBody',
  'halfBodies',
  'boaster',
] as const;
type Manner = (typeof MANNERS)[number];

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly input: SyncInput;
}

/** Virtual time, peers with different behaviours, and an importer that needs time. */
class World {
  readonly sync: Sync;
  readonly imported: number[] = [];
  readonly blamed = new Map<string, string>();
  readonly gone = new Set<string>();
  nowMs = 0;
  headersMax = 0;
  bodyBytesMax = 0;
  private readonly manners: ReadonlyMap<string, Manner>;
  private readonly random: Prng;
  private readonly startAt: number;
  private queue: Event[] = [];
  private order = 0;
  private head = 0;
  private importerFreeMs = 0;

  constructor(manners: readonly Manner[], seed: number, startAt: number) {
    this.manners = new Map(manners.map((manner, i) => [`${manner}-${i}`, manner]));
    this.random = new Prng(seed);
    this.head = startAt;
    this.startAt = startAt;
    this.sync = new Sync({ number: startAt, hash: CHAIN[startAt]!.hash, td: BigInt(startAt + 1) });
    for (const [peer, manner] of this.manners) {
      const chain = manner === 'forged' ? FORGED : CHAIN;
      const top =
        chain[manner === 'short' ? Math.min(startAt + 40, chain.length - 1) : chain.length - 1]!;
      this.later(this.random.below(300), {
        kind: 'joined',
        peer,
        head: top.hash,
        td: BigInt(top.header.number + 1),
      });
      if (manner === 'boaster') {
        const blocks = [{ hash: FORGED[1]!.hash, number: 9_000_000 }];
        this.later(400, { kind: 'announced', peer, blocks });
      }
    }
  }

  run(untilMs: number, isDone: () => boolean): void {
    let nextTick = 0;
    while (this.nowMs < untilMs && !isDone()) {
      this.queue.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
      const next = this.queue[0];
      if (!next || next.atMs >= nextTick) {
        this.nowMs = nextTick;
        nextTick += 250;
        this.step({ kind: 'tick' });
        continue;
      }
      this.queue.shift();
      this.nowMs = next.atMs;
      this.step(next.input);
    }
  }

  private later(delayMs: number, input: SyncInput): void {
    this.queue.push({ atMs: this.nowMs + delayMs, order: this.order++, input });
  }

  private step(input: SyncInput): void {
    if ('peer' in input && this.gone.has(input.peer)) return;
    for (const effect of this.sync.step(input, this.nowMs)) this.perform(effect);
    this.headersMax = Math.max(this.headersMax, this.sync.held.headers);
    this.bodyBytesMax = Math.max(this.bodyBytesMax, this.sync.held.bodyBytes);
  }

  private perform(effect: SyncEffect): void {
    switch (effect.kind) {
      case 'misbehaved':
        this.blamed.set(effect.peer, effect.fault);
        this.gone.add(effect.peer);
        return;
      case 'verifyHeaders': {
        const index = effect.headers.findIndex(
          (item) => item.header.timestamp === BAD_SEAL_TIME || FORGED_KEYS.has(keyOf(item.hash)),
        );
        const fault = index < 0 ? {} : { fault: { index, text: 'invalid committed seals' } };
        this.later(this.random.below(30), { kind: 'verified', batch: effect.batch, ...fault });
        return;
      }
      case 'import':
        for (const block of effect.blocks) {
          expect(equalBytes(block.hash, CHAIN[block.header.number]!.hash)).toBe(true);
          expect(block.body.transactions.length).toBe(
            CHAIN[block.header.number]!.body.transactions.length,
          );
          this.head++;
          expect(block.header.number).toBe(this.head);
          this.imported.push(this.head);
          const head = { number: this.head, hash: block.hash, td: BigInt(this.head + 1) };
          this.importerFreeMs = Math.max(this.importerFreeMs, this.nowMs) + 1 + (this.head % 3);
          this.later(this.importerFreeMs - this.nowMs, { kind: 'head', head });
        }
        return;
      default:
        this.answer(effect);
    }
  }

  private answer(effect: SyncEffect & { kind: 'getHeaders' | 'getBodies' }): void {
    const manner = this.manners.get(effect.peer)!;
    if (manner === 'silent') return;
    if (manner === 'leaves' && this.random.chance(0.3)) {
      this.later(1, { kind: 'left', peer: effect.peer });
      return;
    }
    const delayMs =
      manner === 'slow' ? 3_000 + this.random.below(4_000) : 2 + this.random.below(40);
    const { peer, requestId } = effect;
    if (effect.kind === 'getHeaders') {
      const headers = this.headersOf(manner, effect);
      this.later(delayMs, { kind: 'headers', peer, requestId, headers });
    } else {
      const bodies = this.bodiesOf(manner, effect.hashes);
      this.later(delayMs, { kind: 'bodies', peer, requestId, bodies });
    }
  }

  private headersOf(manner: Manner, effect: SyncEffect & { kind: 'getHeaders' }): Uint8Array[] {
    const { origin, amount } = effect.query;
    const isProbe = typeof origin !== 'number';
    const start = isProbe ? NUMBER_OF.get(keyOf(origin))! : origin;
    const chain = manner === 'forged' ? FORGED : CHAIN;
    const end = manner === 'short' ? this.startAt + 41 : chain.length;
    const raws = chain.slice(start, Math.min(start + amount, end)).map((b) => b.rawHeader);
    if (isProbe || raws.length === 0) return raws;
    if (manner === 'empty') return [];
    if (manner === 'garbage') return [Uint8Array.of(0xc1, 0x80)];
    if (manner === 'tooMany') return [...raws, ...raws];
    if (manner === 'unlinked' && raws.length > 2) return [raws[0]!, ...raws.slice(2)];
    if (manner === 'badSeal') return sealedBadly(start, raws);
    return raws;
  }

  private bodiesOf(manner: Manner, hashes: readonly Uint8Array[]): RawBody[] {
    const bodies = hashes.map((hash) => CHAIN[NUMBER_OF.get(keyOf(hash))!]!.body);
    if (manner === 'empty') return [];
    if (manner === 'badBody') return bodies.map(() => FORGED[2]!.body);
    if (manner === 'halfBodies') return bodies.filter((_, i) => i % 2 === 0);
    return bodies;
  }
}

/** Replaces the last header with one that is linked but not sealed by validators. */
function sealedBadly(start: number, raws: Uint8Array[]): Uint8Array[] {
  const block = CHAIN[start + raws.length - 1]!;
  return [...raws.slice(0, -1), encodeHeader({ ...block.header, timestamp: BAD_SEAL_TIME })];
}

const HONEST: ReadonlySet<string> = new Set(['honest', 'slow']);

describe('sync', () => {
  it('reaches the head of an honest peer among others of any manners, in order, within its bounds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...MANNERS), { maxLength: 6 }),
        fc.integer(),
        fc.constantFrom(0, 7, 1_200, 1_597),
        (others, seed, startAt) => {
          const world = new World(['honest', ...others], seed, startAt);
          const last = CHAIN.length - 1;
          world.run(600_000, () => world.imported.at(-1) === last);
          expect(world.imported.at(-1)).toBe(last);
          expect(world.imported.length).toBe(last - startAt);
          expect(world.headersMax).toBeLessThanOrEqual(HEADERS_AHEAD_MAX);
          expect(world.bodyBytesMax).toBeLessThanOrEqual(BODY_BYTES_AHEAD_MAX + 1_000_000);
          for (const peer of world.blamed.keys())
            expect(HONEST.has(peer.split('-')[0]!)).toBe(false);
        },
      ),
      { numRuns: runs(25) },
    );
  });

  it.each(['forged', 'badSeal', 'badBody', 'unlinked', 'tooMany', 'garbage', 'silent'] as const)(
    'drops a %s peer',
    (manner) => {
      const world = new World([manner], 1, 5);
      world.run(200_000, () => world.blamed.size > 0);
      expect([...world.blamed.keys()]).toEqual([`${manner}-0`]);
    },
  );

  it('shows progress while far behind and none at the head', () => {
    const world = new World(['honest'], 3, 10);
    expect(world.sync.progress).toBeUndefined();
    world.run(60_000, () => world.imported.length > 300);
    const progress = world.sync.progress!;
    expect(progress).toMatchObject({ startingBlock: 10, highestBlock: CHAIN.length - 1 });
    expect(progress.currentBlock).toBeGreaterThan(10);
    world.run(120_000, () => world.sync.progress === undefined);
    expect(world.imported.at(-1)).toBe(CHAIN.length - 1);
  });
});

describe('at the head', () => {
  const at = (number: number) => ({ number, hash: CHAIN[number]!.hash, td: BigInt(number + 1) });
  const pushed = (number: number) => ({
    header: CHAIN[number]!.rawHeader,
    body: CHAIN[number]!.body,
    raw: new Uint8Array(0),
  });

  it('imports a pushed block once, whoever else pushes it', () => {
    const sync = new Sync(at(10));
    for (const peer of ['a', 'b'])
      sync.step({ kind: 'joined', peer, head: at(10).hash, td: 11n }, 0);
    const [verify] = sync.step({ kind: 'newBlock', peer: 'a', block: pushed(11) }, 1);
    expect(verify).toMatchObject({ kind: 'verifyHeaders' });
    expect(sync.step({ kind: 'newBlock', peer: 'b', block: pushed(11) }, 2)).toEqual([]);
    const [imported] = sync.step(
      { kind: 'verified', batch: (verify as { batch: number }).batch },
      3,
    );
    expect(imported).toMatchObject({ kind: 'import' });
    expect(sync.step({ kind: 'head', head: at(11) }, 4)).toEqual([]);
  });

  it('waits for its own decision before it asks for an announced block', () => {
    const sync = new Sync(at(10));
    sync.step({ kind: 'joined', peer: 'a', head: at(10).hash, td: 11n }, 0);
    const announced = { kind: 'announced', peer: 'a', blocks: [at(11)] } as const;
    expect(sync.step(announced, 100)).toEqual([]);
    expect(sync.step({ kind: 'tick' }, 500)).toEqual([]);
    expect(sync.step({ kind: 'tick' }, 700)).toMatchObject([
      { kind: 'getHeaders', query: { origin: 11, amount: 1 } },
    ]);
  });

  it('asks nothing when the block was decided here meanwhile', () => {
    const sync = new Sync(at(10));
    sync.step({ kind: 'joined', peer: 'a', head: at(10).hash, td: 11n }, 0);
    sync.step({ kind: 'announced', peer: 'a', blocks: [at(11)] }, 100);
    sync.step({ kind: 'head', head: at(11) }, 200);
    expect(sync.step({ kind: 'tick' }, 900)).toEqual([]);
  });

  it('takes the header of a head that moved on while it was asked for', () => {
    const sync = new Sync(at(10));
    const [probe] = sync.step({ kind: 'joined', peer: 'a', head: at(40).hash, td: 41n }, 0);
    expect(probe).toMatchObject({ kind: 'getHeaders', query: { origin: at(40).hash, amount: 1 } });
    sync.step({ kind: 'announced', peer: 'a', blocks: [at(41)] }, 1);
    const { requestId } = probe as { requestId: bigint };
    const reply = {
      kind: 'headers',
      peer: 'a',
      requestId,
      headers: [CHAIN[40]!.rawHeader],
    } as const;
    expect(sync.step(reply, 2)).toMatchObject([
      { kind: 'getHeaders', query: { origin: 11, amount: 31 } },
    ]);
  });

  it('remembers a block that could not be imported and drops who gives it again', () => {
    const sync = new Sync(at(10));
    for (const peer of ['a', 'b'])
      sync.step({ kind: 'joined', peer, head: at(10).hash, td: 11n }, 0);
    sync.step({ kind: 'newBlock', peer: 'a', block: pushed(11) }, 1);
    const failed = {
      kind: 'importFailed',
      hash: at(11).hash,
      fault: 'invalid merkle root',
    } as const;
    expect(sync.step(failed, 2)).toMatchObject([{ kind: 'misbehaved', peer: 'a', reason: 2 }]);
    const again = sync.step({ kind: 'newBlock', peer: 'b', block: pushed(11) }, 3);
    expect(again).toMatchObject([{ kind: 'misbehaved', peer: 'b' }]);
  });
});

describe('any input of peers', () => {
  it('never throws, asks no peer that is gone, and stays within bounds', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.nat(40).map((n) => CHAIN[n]!.rawHeader),
    );
    const body = fc.record({
      transactions: fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 3 }),
      uncles: fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 2 }),
      withdrawals: fc.option(fc.uint8Array({ maxLength: 5 }), { nil: undefined }),
      size: fc.nat(100),
    });
    const peer = fc.constantFrom('a', 'b', 'c');
    const hash = fc.nat(50).map((n) => CHAIN[n]!.hash);
    const requestId = fc.bigInt({ min: 1n, max: 12n });
    const input: fc.Arbitrary<SyncInput> = fc.oneof(
      fc.record({
        kind: fc.constant('joined' as const),
        peer,
        head: hash,
        td: fc.bigInt({ min: 0n, max: 90n }),
      }),
      fc.record({ kind: fc.constant('left' as const), peer }),
      fc.record({
        kind: fc.constant('headers' as const),
        peer,
        requestId,
        headers: fc.array(bytes, { maxLength: 4 }),
      }),
      fc.record({
        kind: fc.constant('bodies' as const),
        peer,
        requestId,
        bodies: fc.array(body, { maxLength: 3 }),
      }),
      fc.record({
        kind: fc.constant('announced' as const),
        peer,
        blocks: fc.array(fc.record({ hash, number: fc.nat() }), { maxLength: 3 }),
      }),
      fc.record({
        kind: fc.constant('newBlock' as const),
        peer,
        block: fc.record({ header: bytes, body, raw: bytes }),
      }),
      fc.record({ kind: fc.constant('verified' as const), batch: fc.nat(6) }),
      fc.record({
        kind: fc.constant('verified' as const),
        batch: fc.nat(6),
        fault: fc.record({ index: fc.nat(9), text: fc.constant('bad') }),
      }),
      fc.record({ kind: fc.constant('importFailed' as const), hash, fault: fc.constant('bad') }),
      fc.nat(50).map((n) => ({
        kind: 'head' as const,
        head: { number: n, hash: CHAIN[n]!.hash, td: BigInt(n + 1) },
      })),
      fc.constant({ kind: 'tick' as const }),
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 60 }), (inputs) => {
        const sync = new Sync({ number: 0, hash: CHAIN[0]!.hash, td: 1n });
        const present = new Set<string>();
        for (const [i, item] of inputs.entries()) {
          if (item.kind === 'joined') present.add(item.peer);
          if (item.kind === 'left') present.delete(item.peer);
          for (const effect of sync.step(item, i * 300)) {
            if (!('peer' in effect)) continue;
            expect(present.has(effect.peer)).toBe(true);
            if (effect.kind === 'misbehaved') present.delete(effect.peer);
          }
          expect(sync.held.headers).toBeLessThanOrEqual(HEADERS_AHEAD_MAX);
          expect(sync.held.bodyBytes).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: runs(1_500) },
    );
  });
});
