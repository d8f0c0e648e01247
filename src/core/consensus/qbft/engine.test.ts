import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Bench,
  commitOf,
  FOURTH,
  GENESIS,
  ME,
  ofKind,
  onAnotherParent,
  PROPOSER,
  proposal,
  RULES,
  START_MS,
  said,
  THIRD,
  tooEarly,
  VALIDATORS,
  VIEW,
} from '../../../../test/support/qbft-bench.ts';
import { equalBytes } from '../../base/bytes.ts';
import { QbftEngine } from './engine.ts';
import {
  decodeMessage,
  encodeMessage,
  signCommit,
  signPrepare,
  signPreprepare,
  signRoundChange,
} from './messages.ts';

describe('QBFT engine', () => {
  it('decides: PRE-PREPARE, PREPARE, COMMIT, each vote behind its memory', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    expect(ofKind(bench.hear(signPreprepare(PROPOSER, VIEW, block, [], [])), 'verify').length).toBe(
      1,
    );
    const voted = bench.verified(block).map(({ kind }) => kind);
    expect(voted).toEqual(['remember', 'broadcast']);
    bench.hear(signPrepare(PROPOSER, VIEW, block.hash));
    const locked = bench.hear(signPrepare(THIRD, VIEW, block.hash));
    expect(locked.map(({ kind }) => kind)).toEqual(['remember', 'broadcast']);
    expect(said(locked)).toEqual(['commit']);
    bench.hear(commitOf(PROPOSER, block));
    const [decision] = ofKind(bench.hear(commitOf(THIRD, block)), 'decide');
    expect(equalBytes(decision!.block.hash, block.hash)).toBe(true);
    expect(decision!.seals.length).toBe(3);
  });

  it('takes votes that come before the proposal', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    for (const signer of [PROPOSER, THIRD, FOURTH]) {
      bench.hear(signPrepare(signer, VIEW, block.hash));
      bench.hear(commitOf(signer, block));
    }
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    expect(ofKind(bench.verified(block), 'decide').length).toBe(1);
  });

  it('decides alone where it is the only validator', () => {
    const bench = new Bench(ME, RULES, undefined, [ME.address]);
    const [asked] = ofKind(bench.effects, 'assemble');
    const block = proposal(ME);
    const effects = bench.step({ kind: 'assembled', view: asked!.view, block });
    expect(said(effects)).toEqual(['preprepare', 'prepare', 'commit']);
    expect(ofKind(effects, 'decide').length).toBe(1);
  });

  it('does not vote for what execution refused, and says who proposed it', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    expect(bench.verified(block, 'invalid merkle root')).toEqual([
      { kind: 'misbehaved', peer: PROPOSER.address, fault: 'invalid merkle root' },
    ]);
  });

  it('holds a proposal of the future until its time', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER, 5);
    const held = bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    expect(held).toEqual([{ kind: 'setTimer', id: 'future/1/0', delayMs: 3500 }]);
    bench.nowMs += 3500;
    expect(ofKind(bench.fire('future'), 'verify').length).toBe(1);
  });

  it.each([
    ['of another author', proposal(THIRD), 'the author of the block is not its proposer'],
    ['that comes too early', tooEarly(), 'invalid timestamp'],
    ['on another parent', onAnotherParent(), 'unknown ancestor'],
  ])('refuses a proposal %s', (_what, block, fault) => {
    const bench = new Bench(ME);
    const effects = bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    expect(effects).toEqual([{ kind: 'misbehaved', peer: PROPOSER.address, fault }]);
  });

  it('reports double votes once and counts the first', () => {
    const bench = new Bench(ME);
    const other = proposal(PROPOSER, 1, 7n);
    for (const block of [proposal(PROPOSER), other, proposal(PROPOSER, 1, 8n)]) {
      bench.hear(signPrepare(THIRD, VIEW, block.hash));
    }
    const reports = ofKind(bench.effects, 'misbehaved');
    expect(reports.map(({ fault }) => fault)).toEqual([
      'two different PREPARE messages in one round',
    ]);
  });

  it('drops a COMMIT whose seal is not of its signer', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    bench.verified(block);
    for (const signer of [PROPOSER, THIRD]) bench.hear(signPrepare(signer, VIEW, block.hash));
    bench.hear(signCommit(THIRD, VIEW, block.hash, THIRD.sign(block.hash).fill(1, 0, 64)));
    expect(ofKind(bench.hear(commitOf(PROPOSER, block)), 'decide')).toEqual([]);
    expect(ofKind(bench.hear(commitOf(FOURTH, block)), 'decide')[0]!.seals.length).toBe(3);
  });

  it('abandons a check that outlasts its round or its height, and asks again for a block that comes back', () => {
    const bench = new Bench(FOURTH);
    const block = proposal(PROPOSER);
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    expect(ofKind(bench.fire('round'), 'abandon')).toEqual([{ kind: 'abandon', hash: block.hash }]);
    // The block that the other validators have prepared meanwhile is proposed again.
    const view = { height: 1, round: 1 };
    const prepares = [PROPOSER, ME, THIRD].map((each) => signPrepare(each, VIEW, block.hash));
    const lock = { round: 0, block, prepares };
    const claims = [PROPOSER, ME, THIRD].map((each) => signRoundChange(each, view, lock));
    const proposed = claims.flatMap((claim) => bench.hear(claim));
    expect(ofKind(proposed, 'verify')).toEqual([]);
    const again = bench.hear(signPreprepare(ME, view, block, claims, prepares));
    expect(ofKind(again, 'verify').map((effect) => effect.block.hash)).toEqual([block.hash]);
    const start = {
      validators: VALIDATORS,
      rules: RULES,
      head: block.header,
      headHash: block.hash,
    };
    const next = bench.step({ kind: 'committed', ...start });
    expect(ofKind(next, 'abandon')).toEqual([{ kind: 'abandon', hash: block.hash }]);
  });

  it('abandons nothing that it has checked', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    bench.verified(block);
    expect(ofKind(bench.fire('round'), 'abandon')).toEqual([]);
  });

  it('carries its lock into the next round', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
    bench.verified(block);
    for (const signer of [PROPOSER, THIRD]) bench.hear(signPrepare(signer, VIEW, block.hash));
    const effects = bench.fire('round');
    const [sent] = ofKind(effects, 'broadcast');
    const message = decodeMessage(sent!.code, sent!.bytes);
    expect(message).toMatchObject({ kind: 'roundChange', view: { height: 1, round: 1 } });
    expect(message.kind === 'roundChange' && message.prepared).toEqual({
      round: 0,
      digest: block.hash,
    });
    // This node proposes in round 1: the locked block again, with its proof.
    const moves = [THIRD, FOURTH].map((s) =>
      signRoundChange(s, { height: 1, round: 1 }, undefined),
    );
    const proposed = moves.flatMap((move) => bench.hear(move));
    const preprepare = ofKind(proposed, 'broadcast')[0]!;
    const again = decodeMessage(preprepare.code, preprepare.bytes);
    expect(again.kind === 'preprepare' && equalBytes(again.block.hash, block.hash)).toBe(true);
    expect(again.kind === 'preprepare' && again.prepares.length).toBe(3);
  });

  it('waits for the proof of a proposal that came without one, and blames nobody', () => {
    const bench = new Bench(FOURTH);
    const view = { height: 1, round: 1 };
    const claims = [PROPOSER, ME, THIRD].map((each) => signRoundChange(each, view, undefined));
    for (const claim of claims) bench.hear(claim);
    const proposed = (count: number) =>
      bench.hear(signPreprepare(ME, view, proposal(ME), claims.slice(0, count), []));
    expect(proposed(0)).toEqual([]);
    expect(ofKind(proposed(2), 'misbehaved').map(({ peer }) => peer)).toEqual([ME.address]);
    expect(ofKind(proposed(3), 'verify').length).toBe(1);
  });

  it('follows f + 1 validators that are ahead', () => {
    const bench = new Bench(ME);
    bench.hear(signRoundChange(THIRD, { height: 1, round: 4 }, undefined));
    const effects = bench.hear(signRoundChange(FOURTH, { height: 1, round: 3 }, undefined));
    const [sent] = ofKind(effects, 'broadcast');
    expect(decodeMessage(sent!.code, sent!.bytes).view).toEqual({ height: 1, round: 3 });
  });

  it('asks for transactions first where empty blocks wait', () => {
    const rules = { ...RULES, emptyBlockPeriodSeconds: 10 };
    const bench = new Bench(PROPOSER, rules);
    const asked = ofKind(bench.effects, 'assemble');
    expect(
      asked.map(({ mayBeEmpty, notBeforeMs }) => [mayBeEmpty, notBeforeMs - START_MS]),
    ).toEqual([[false, 1000]]);
    expect(bench.step({ kind: 'assembled', view: VIEW, block: proposal(PROPOSER) })).toEqual([]);
    expect(ofKind(bench.step({ kind: 'transactionsPending' }), 'assemble').length).toBe(1);
    bench.nowMs = START_MS + 10_000;
    const [empty] = ofKind(bench.fire('empty'), 'assemble');
    expect([empty!.mayBeEmpty, empty!.notBeforeMs - START_MS]).toEqual([true, 10_000]);
    const effects = bench.step({ kind: 'assembled', view: VIEW, block: proposal(PROPOSER, 10) });
    expect(said(effects)).toEqual(['preprepare', 'prepare']);
  });

  it('passes a message on once, and again when it is said again after a while', () => {
    const engine = new QbftEngine(ME, { isRelaying: true });
    const common = { headHash: GENESIS.hash, validators: VALIDATORS, rules: RULES };
    engine.step({ kind: 'start', head: GENESIS.header, ...common }, START_MS);
    const message = signRoundChange(THIRD, { height: 1, round: 1 }, undefined);
    const heard = { code: message.code, bytes: encodeMessage(message), from: THIRD.address };
    const relayedAt = (afterMs: number) =>
      ofKind(engine.step({ kind: 'message', ...heard }, START_MS + afterMs), 'relay').length;
    const { requestTimeoutMs } = RULES;
    expect([0, 1, requestTimeoutMs / 4].map(relayedAt)).toEqual([1, 0, 0]);
    expect([requestTimeoutMs, requestTimeoutMs + 1].map(relayedAt)).toEqual([1, 0]);
  });

  it('never throws on bytes of others', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    const lock = {
      round: 0,
      block,
      prepares: [PROPOSER, THIRD, FOURTH].map((s) => signPrepare(s, VIEW, block.hash)),
    };
    const samples = [
      signPreprepare(PROPOSER, VIEW, block, [], []),
      signPrepare(THIRD, VIEW, block.hash),
      commitOf(THIRD, block),
      signRoundChange(THIRD, { height: 1, round: 1 }, lock),
    ].map((message) => ({ code: message.code, bytes: encodeMessage(message) }));
    const change = fc.record({
      sample: fc.integer({ min: 0, max: samples.length - 1 }),
      at: fc.nat(),
      to: fc.integer({ min: 0, max: 255 }),
      code: fc.option(fc.integer({ min: 0, max: 40 })),
    });
    fc.assert(
      fc.property(change, ({ sample, at, to, code }) => {
        const bytes = samples[sample]!.bytes.slice();
        bytes[at % bytes.length] = to;
        bench.step({
          kind: 'message',
          from: FOURTH.address,
          code: code ?? samples[sample]!.code,
          bytes,
        });
      }),
      { numRuns: 500 },
    );
  });
});
