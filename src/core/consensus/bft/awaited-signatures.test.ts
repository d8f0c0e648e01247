import { beforeEach, describe, expect, it } from 'vitest';
import {
  Bench,
  commitOf,
  FOURTH,
  ME,
  ofKind,
  PROPOSER,
  proposal,
  RULES,
  said,
  THIRD,
  VIEW,
} from '../../../../test/support/qbft-bench.ts';
import { keyOf } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import { decodeMessage, signerOf, signPrepare, signPreprepare } from '../qbft/messages.ts';
import type { BftEffect, ConsensusSigner } from './interface.ts';

const SIGNED = { kind: 'signed' } as const;

/** A key whose signatures are there only after `arrive`. */
class AwaitedKey implements ConsensusSigner {
  readonly address = ME.address;
  readonly recover = ME.recover;
  readonly asked = new Set<string>();
  private readonly arrived = new Set<string>();

  sign(hash: Uint8Array): Uint8Array {
    if (this.arrived.has(keyOf(hash))) return ME.sign(hash);
    this.asked.add(keyOf(hash));
    throw fail('SIGNATURE_AWAITED', 'not signed yet');
  }

  arrive(): void {
    for (const each of this.asked) this.arrived.add(each);
    this.asked.clear();
  }
}

function sound(effects: readonly BftEffect[]): boolean {
  return ofKind(effects, 'broadcast').every(({ code, bytes }) => {
    const signer = signerOf(ME, decodeMessage(code, bytes));
    return signer !== undefined && keyOf(signer) === keyOf(ME.address);
  });
}

describe('a validator whose signatures come from another process', () => {
  const block = proposal(PROPOSER);
  let key: AwaitedKey;
  let bench: Bench;

  beforeEach(() => {
    key = new AwaitedKey();
    bench = new Bench(key);
  });

  /** The proposal is there and valid: a PREPARE is due. */
  function prepare(): readonly BftEffect[] {
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    return bench.verified(block);
  }

  it('remembers a vote first, and sends it when it is signed', () => {
    expect(prepare().map(({ kind }) => kind)).toEqual(['remember']);
    expect(bench.step(SIGNED)).toEqual([]);
    key.arrive();
    const sent = bench.step(SIGNED);
    expect(said(sent)).toEqual(['prepare']);
    expect(sound(sent)).toBe(true);
    expect(bench.step(SIGNED)).toEqual([]);
  });

  it('sends a COMMIT only with its seal and its signature', () => {
    prepare();
    key.arrive();
    bench.step(SIGNED);
    bench.hear(signPrepare(PROPOSER, VIEW, block.hash));
    const locked = bench.hear(signPrepare(THIRD, VIEW, block.hash));
    expect(locked.map(({ kind }) => kind)).toEqual(['remember']);
    key.arrive();
    expect(said(bench.step(SIGNED))).toEqual([]);
    key.arrive();
    const sent = bench.step(SIGNED);
    expect(said(sent)).toEqual(['commit']);
    expect(sound(sent)).toBe(true);
  });

  it('follows the others without its own votes', () => {
    prepare();
    for (const signer of [PROPOSER, THIRD, FOURTH]) {
      bench.hear(signPrepare(signer, VIEW, block.hash));
      bench.hear(commitOf(signer, block));
    }
    expect(said(bench.effects)).toEqual([]);
    const [decision] = ofKind(bench.effects, 'decide');
    expect(decision?.seals.length).toBe(3);
  });

  it('never sends the vote of a round that has passed', () => {
    prepare();
    bench.fire('round');
    key.arrive();
    expect(said(bench.step(SIGNED))).toEqual(['roundChange']);
  });

  it('moves through rounds in silence, and joins the others in the round where they are', () => {
    for (let round = 0; round < 3; round++) bench.fire('round');
    expect(said(bench.effects)).toEqual([]);
    key.arrive();
    const sent = bench.step(SIGNED);
    expect(said(sent)).toEqual(['roundChange']);
    const { code, bytes } = ofKind(sent, 'broadcast')[0]!;
    expect(decodeMessage(code, bytes).view).toEqual({ height: 1, round: 3 });
  });

  it('says the same after a restart as it would have said', () => {
    prepare();
    const { memory } = ofKind(bench.effects, 'remember').at(-1)!;
    const after = new Bench(key, RULES, memory);
    expect(said(after.effects)).toEqual([]);
    const other = proposal(PROPOSER, 1, 9n);
    expect(after.hear(signPreprepare(PROPOSER, VIEW, other, [], []))).toEqual([]);
    key.arrive();
    const sent = after.step(SIGNED);
    expect(said(sent)).toEqual(['prepare']);
    const { code, bytes } = ofKind(sent, 'broadcast')[0]!;
    expect(decodeMessage(code, bytes)).toMatchObject({ digest: block.hash });
  });
});
