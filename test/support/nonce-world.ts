/**
 * A simulated world around the nonce manager, reproducible from a seed: a node whose pool loses,
 * delays and hides transactions, a disk, clients, other wallets with the same key, and kill -9.
 * Invariants are checked after each event and at the end.
 */
import { Prng } from '../../src/core/base/prng.ts';
import type { Held, SignedSend } from '../../src/core/signing/nonce-held.ts';
import { NonceManager } from '../../src/core/signing/nonce-manager.ts';
import type {
  NonceEffect,
  NonceInput,
  NonceSettings,
  Outcome,
  Settled,
} from '../../src/core/signing/nonce-messages.ts';

const TICK_MS = 25;
const BLOCK_MS = 1_000;
const TIMEOUT_MS = 5_000;
const NONCE_KEYS = ['0xaa', '0xbb', '0xcc'];

export interface Faults {
  /** The share of calls that fail. */
  readonly calls: number;
  /** How often the node loses its pool: once in this number of blocks; 0: never. */
  readonly poolLossBlocks: number;
  /** How often another wallet uses the keys: once in this number of blocks; 0: never. */
  readonly foreignBlocks: number;
  /** How often the proxy is killed: once in this number of blocks; 0: never. */
  readonly killBlocks: number;
  /** The share of transactions that the node never accepts. */
  readonly poor: number;
}

interface Transaction {
  readonly hash: string;
  readonly nonce: number;
  /** The request it came from; undefined: another wallet. */
  readonly content: string | undefined;
  readonly isPoor: boolean;
}

class SimulatedNode {
  readonly pools = new Map<string, Map<number, Transaction>>(
    NONCE_KEYS.map((nonceKey) => [nonceKey, new Map()]),
  );
  readonly chains = new Map<string, Transaction[]>(NONCE_KEYS.map((nonceKey) => [nonceKey, []]));

  take(nonceKey: string, transaction: Transaction): Outcome {
    const chain = this.chains.get(nonceKey)!;
    const pool = this.pools.get(nonceKey)!;
    if (transaction.nonce < chain.length) return 'nonceTooLow';
    const there = pool.get(transaction.nonce);
    if (there) return there.hash === transaction.hash ? 'known' : 'underpriced';
    if (transaction.isPoor) return 'refused';
    pool.set(transaction.nonce, transaction);
    return 'accepted';
  }

  latest(nonceKey: string): number {
    return this.chains.get(nonceKey)!.length;
  }

  pending(nonceKey: string): number {
    let nonce = this.latest(nonceKey);
    while (this.pools.get(nonceKey)!.has(nonce)) nonce++;
    return nonce;
  }

  mine(max: number): void {
    for (const nonceKey of NONCE_KEYS) {
      const chain = this.chains.get(nonceKey)!;
      const pool = this.pools.get(nonceKey)!;
      for (let count = 0; count < max && pool.has(chain.length); count++) {
        const next = pool.get(chain.length)!;
        pool.delete(chain.length);
        chain.push(next);
      }
    }
  }

  knows(nonceKey: string, hash: string): boolean {
    const has = (each: Transaction) => each.hash === hash;
    return (
      this.chains.get(nonceKey)!.some(has) || [...this.pools.get(nonceKey)!.values()].some(has)
    );
  }
}

export class NonceWorld {
  readonly problems: string[] = [];
  readonly ends = new Map<string, Settled<unknown>['kind'] | 'lost'>();
  readonly node = new SimulatedNode();
  private readonly make: (settings: NonceSettings) => NonceManager<unknown>;
  private readonly prng: Prng;
  private faults: Faults;
  private readonly fillsGaps: boolean;
  private manager: NonceManager<unknown>;
  private generation = 0;
  private nowMs = 0;
  private turn = 0;
  private readonly events: { at: number; turn: number; run: () => void }[] = [];
  private lastRequest = 0;
  private readonly requests = new Map<number, { content: string; isPoor: boolean }>();
  /** The content of the disk. */
  private readonly disk = new Map<string, { send: SignedSend; isAccepted: boolean }>();
  private readonly transactions = new Map<string, Transaction>();
  /** By nonce: the transactions that the node has not refused. */
  private readonly standing = new Map<string, Set<string>>();
  private readonly hashes = new Map<string, string>();

  constructor(
    seed: number,
    faults: Faults,
    make = (settings: NonceSettings) => new NonceManager<unknown>(settings),
  ) {
    this.make = make;
    this.prng = new Prng(seed);
    this.faults = faults;
    this.fillsGaps = this.prng.chance(0.5);
    this.manager = this.newManager();
    this.later(TICK_MS, () => this.beat());
    this.later(BLOCK_MS, () => this.block());
  }

  /** A client sends a request. */
  request(): void {
    const id = ++this.lastRequest;
    const content = `request ${id}`;
    this.requests.set(id, { content, isPoor: this.prng.chance(this.faults.poor) });
    const nonceKey = NONCE_KEYS[this.prng.below(NONCE_KEYS.length)]!;
    this.step({ kind: 'wanted', id, nonceKey, nonce: undefined });
  }

  run(ms: number): void {
    const end = this.nowMs + ms;
    while (this.events.length > 0) {
      this.events.sort((a, b) => a.at - b.at || a.turn - b.turn);
      if (this.events[0]!.at > end) break;
      const event = this.events.shift()!;
      this.nowMs = event.at;
      event.run();
    }
    this.nowMs = end;
  }

  /** Ends all faults, and lets everything pending finish. */
  calm(): void {
    this.faults = { calls: 0, poolLossBlocks: 0, foreignBlocks: 0, killBlocks: 0, poor: 0 };
    for (let round = 0; round < 100 && this.manager.pending.heldCount > 0; round++) {
      this.run(3_000);
      if (!this.fillsGaps) for (const _ of NONCE_KEYS) this.request();
    }
    this.run(10_000);
  }

  /** Call after `calm`. */
  check(): readonly string[] {
    if (this.manager.pending.heldCount > 0)
      this.problem(`${this.manager.pending.heldCount} transactions have no end`);
    if (this.manager.requestCount > 0) this.problem(`${this.manager.requestCount} requests wait`);
    const mined = new Map<string, string[]>();
    for (const chain of this.node.chains.values())
      for (const { content, hash } of chain)
        if (content !== undefined) mined.set(content, [...(mined.get(content) ?? []), hash]);
    for (const [content, hashes] of mined) {
      if (hashes.length > 1) this.problem(`${content} was mined ${hashes.length} times`);
      const end = this.ends.get(content);
      if (end && !['accepted', 'known', 'unclear', 'lost'].includes(end))
        this.problem(`${content} ended as ${end} and was mined`);
    }
    for (const [content, end] of this.ends) {
      if (end !== 'accepted' && end !== 'known') continue;
      if (!mined.get(content)?.includes(this.hashes.get(content)!))
        this.problem(`${content} was acknowledged and is not mined`);
    }
    return this.problems;
  }

  private newManager(): NonceManager<unknown> {
    return this.make({ fillsGaps: this.fillsGaps });
  }

  private problem(text: string): void {
    if (this.problems.length < 10) this.problems.push(`${this.nowMs} ms: ${text}`);
  }

  private later(ms: number, run: () => void): void {
    this.events.push({ at: this.nowMs + ms, turn: ++this.turn, run });
  }

  /** Delivers a reply, unless the proxy was killed in the meantime. */
  private reply(ms: number, run: () => void): void {
    const { generation } = this;
    this.later(ms, () => {
      if (generation === this.generation) run();
    });
  }

  private beat(): void {
    this.step({ kind: 'tick' });
    this.later(TICK_MS, () => this.beat());
  }

  private block(): void {
    this.node.mine(8);
    const isTurn = (blocks: number) => blocks > 0 && this.prng.below(blocks) === 0;
    if (isTurn(this.faults.poolLossBlocks))
      for (const pool of this.node.pools.values()) pool.clear();
    if (isTurn(this.faults.foreignBlocks)) this.foreign();
    if (isTurn(this.faults.killBlocks)) this.kill();
    this.later(BLOCK_MS, () => this.block());
  }

  private foreign(): void {
    const nonceKey = NONCE_KEYS[this.prng.below(NONCE_KEYS.length)]!;
    const nonce = this.node.pending(nonceKey);
    this.node.take(nonceKey, {
      hash: `foreign ${nonceKey} ${nonce}`,
      nonce,
      content: undefined,
      isPoor: false,
    });
  }

  private kill(): void {
    this.generation++;
    for (const { content } of this.requests.values())
      if (!this.ends.has(content)) this.ends.set(content, 'lost');
    this.requests.clear();
    this.manager = this.newManager();
    this.step({ kind: 'restored', sends: [...this.disk.values()] });
  }

  private step(input: NonceInput<unknown>): void {
    for (const effect of this.manager.step(input, this.nowMs)) this.carryOut(effect);
  }

  private carryOut(effect: NonceEffect<unknown>): void {
    if (effect.kind === 'sign') this.sign(effect);
    else if (effect.kind === 'send') this.send(effect.held, effect.isNew);
    else if (effect.kind === 'settle') this.settle(effect.id, effect.end);
    else if (effect.kind === 'count') this.count(effect.nonceKey, effect.isFull);
    else if (effect.kind === 'find') this.find(effect.held);
    else if (effect.kind === 'accepted') {
      const kept = this.disk.get(effect.send.hash);
      if (kept) this.disk.set(effect.send.hash, { ...kept, isAccepted: true });
    } else this.disk.delete(effect.send.hash);
  }

  private sign({
    id,
    nonceKey,
    nonce,
    isFill,
  }: Extract<NonceEffect<unknown>, { kind: 'sign' }>): void {
    const request = isFill
      ? { content: `fill ${id} ${this.generation}`, isPoor: false }
      : this.requests.get(id);
    if (!request) return;
    // Signing sometimes takes long and then fails, as with a remote key service.
    if (!isFill && this.prng.chance(this.faults.calls / 10)) {
      this.reply(this.prng.below(50), () => this.step({ kind: 'abandoned', id }));
      this.ends.set(request.content, 'unsent');
      return;
    }
    const hash = `${nonceKey} ${nonce} ${request.content}`;
    this.transactions.set(hash, { hash, nonce, content: request.content, isPoor: request.isPoor });
    this.hashes.set(request.content, hash);
    const send: SignedSend = { nonceKey, nonce, hash, method: '', params: '' };
    const signed = () => this.step({ kind: 'signed', id, send });
    if (this.prng.chance(0.2)) this.reply(this.prng.below(30), signed);
    else signed();
  }

  private settle(id: number, end: Settled<unknown>): void {
    const request = this.requests.get(id);
    if (!request) return;
    if (this.ends.has(request.content)) this.problem(`${request.content} was answered twice`);
    this.ends.set(request.content, end.kind);
  }

  private send(held: Held, isNew: boolean): void {
    const { send } = held;
    const place = `${send.nonceKey} ${send.nonce}`;
    if (isNew) {
      const others = [...(this.standing.get(place) ?? [])].filter((hash) => hash !== send.hash);
      if (others.length > 0) this.problem(`${send.hash} stands where ${others[0]} does`);
      this.reply(this.prng.below(5), () => {
        this.disk.set(send.hash, { send, isAccepted: false });
        this.travel(held, place);
      });
      return;
    }
    if (!this.disk.has(send.hash)) this.problem(`${send.hash} left before it was written down`);
    this.travel(held, place);
  }

  private travel(held: Held, place: string): void {
    const { send } = held;
    const transaction = this.transactions.get(send.hash)!;
    const { generation } = this;
    const answer = (ms: number, outcome: Outcome, isFinal = false) =>
      this.later(ms, () => {
        // The process that asked was killed in the meantime.
        if (generation !== this.generation) return;
        const isVerdict = outcome !== 'unclear' && outcome !== 'unsent';
        const stands = this.standing.get(place) ?? new Set();
        if (isVerdict && outcome !== 'accepted' && outcome !== 'known') stands.delete(send.hash);
        this.standing.set(place, stands);
        this.step({ kind: 'answered', held, outcome, answer: outcome, isFinal });
      });
    const delay = 1 + this.prng.below(40);
    if (!this.prng.chance(this.faults.calls)) {
      this.stand(place, send.hash);
      this.later(delay, () => {
        answer(this.prng.below(5), this.node.take(send.nonceKey, transaction));
      });
      return;
    }
    const turn = this.prng.below(5);
    if (turn === 0) {
      answer(delay, 'unsent');
      return;
    }
    this.stand(place, send.hash);
    const arrive = () => this.node.take(send.nonceKey, transaction);
    // 1 never arrives; 2 may arrive late, and nobody is told. 3 arrives, and its answer is garbage.
    // 4 is rejected with status 429 or 500.
    if (turn === 2) this.later(this.prng.below(2 * TIMEOUT_MS), arrive);
    if (turn === 3) this.later(delay, arrive);
    if (turn <= 2) answer(TIMEOUT_MS, 'unclear', true);
    else answer(delay + 1, 'unclear');
  }

  private stand(place: string, hash: string): void {
    const stands = this.standing.get(place) ?? new Set();
    stands.add(hash);
    this.standing.set(place, stands);
  }

  private count(nonceKey: string, isFull: boolean): void {
    if (this.prng.chance(this.faults.calls / 2)) {
      const ms = this.prng.chance(0.5) ? TIMEOUT_MS : 10;
      this.reply(ms, () => this.step({ kind: 'countFailed', nonceKey, answer: 'no count' }));
      return;
    }
    const latest = isFull ? this.node.latest(nonceKey) : undefined;
    this.reply(this.prng.below(20), () => {
      const pending = this.node.pending(nonceKey);
      this.reply(this.prng.below(20), () =>
        this.step({ kind: 'counted', nonceKey, latest, pending }),
      );
    });
  }

  private find(held: Held): void {
    const { nonceKey, hash } = held.send;
    const isKnown = this.prng.chance(this.faults.calls)
      ? undefined
      : this.node.knows(nonceKey, hash);
    this.reply(this.prng.below(20), () =>
      this.step({ kind: 'found', held, isKnown, answer: 'asked' }),
    );
  }
}
