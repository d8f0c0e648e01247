import { describe, expect, it } from 'vitest';
import {
  Bench,
  GENESIS,
  ME,
  ofKind,
  PROPOSER,
  proposal,
  RULES,
  START_MS,
  said,
  THIRD,
  VALIDATORS,
  VIEW,
} from '../../../../test/support/qbft-bench.ts';
import { QbftEngine } from './engine.ts';
import { QBFT_CODE, signPrepare, signPreprepare } from './messages.ts';

describe('a QBFT engine that restarts', () => {
  it('continues after a restart with what it voted, and with nothing else', () => {
    const before = new Bench(ME);
    const block = proposal(PROPOSER);
    before.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    before.verified(block);
    const { memory } = ofKind(before.effects, 'remember').at(-1)!;
    const after = new Bench(ME, RULES, memory);
    expect(said(after.effects)).toEqual(['prepare']);
    const other = proposal(PROPOSER, 1, 9n);
    expect(after.hear(signPreprepare(PROPOSER, VIEW, other, [], []))).toEqual([]);
    expect(ofKind(after.hear(signPreprepare(PROPOSER, VIEW, block, [], [])), 'verify').length).toBe(
      1,
    );
  });

  it('restarts with its lock and seals the same block again', () => {
    const before = new Bench(ME);
    const block = proposal(PROPOSER);
    before.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    before.verified(block);
    for (const signer of [PROPOSER, THIRD]) before.hear(signPrepare(signer, VIEW, block.hash));
    const { memory } = ofKind(before.effects, 'remember').at(-1)!;
    const after = new Bench(ME, RULES, memory);
    expect(said(after.verified(block))).toEqual(['commit']);
    const sealed = (bench: Bench) =>
      ofKind(bench.effects, 'broadcast').filter(({ code }) => code === QBFT_CODE.commit);
    expect(sealed(after)).toEqual(sealed(before));
  });

  it('stays silent below a height in which it has voted', () => {
    const before = new Bench(ME);
    before.fire('round');
    const { memory } = ofKind(before.effects, 'remember').at(-1)!;
    const after = new Bench(ME, RULES, { ...memory, height: 2 });
    const block = proposal(PROPOSER);
    after.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    after.verified(block);
    expect(said(after.effects)).toEqual([]);
  });

  it('remembers its vote when it reaches that height only by sync', () => {
    const before = new Bench(ME);
    const block = proposal(PROPOSER);
    before.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    before.verified(block);
    const { memory } = ofKind(before.effects, 'remember').at(-1)!;
    const engine = new QbftEngine(ME);
    const common = { headHash: GENESIS.hash, validators: VALIDATORS, rules: RULES };
    const earlier = { ...GENESIS.header, number: -1 };
    engine.step({ kind: 'start', head: earlier, memory, ...common }, START_MS);
    const effects = engine.step({ kind: 'committed', head: GENESIS.header, ...common }, START_MS);
    expect(said(effects)).toEqual(['prepare']);
  });
});
