import { describe, expect, it } from 'vitest';
import { bftGenesis, bftRules, keySigner } from '../../../../test/support/bft-chain.ts';
import { EMPTY_BYTES, equalBytes, ZERO_HASH } from '../../base/bytes.ts';
import { EMPTY_ROOT } from '../../base/keccak.ts';
import { type Block, blockOf } from '../../chain/block.ts';
import { ibftProposerPreimage, withCommitSeals, withProposerSeal } from '../../chain/extra-data.ts';
import type { BftEffect, BftInput, ConsensusSigner, VoteMemory } from '../bft/interface.ts';
import { sortedByChecksumText } from '../bft/validators.ts';
import { sealedHeaderFault } from '../check-seals.ts';
import { EngineSwitch } from '../engine-switch.ts';
import { headerTemplate } from '../header-template.ts';
import {
  encodeMessage as encodeQbft,
  QBFT_CODE,
  signPrepare as signQbftPrepare,
} from '../qbft/messages.ts';
import { IbftEngine } from './engine.ts';
import {
  commitSeal,
  decodeMessage,
  encodeMessage,
  IBFT_MESSAGE,
  type IbftMessage,
  signCommit,
  signPrepare,
  signPreprepare,
  signRoundChange,
} from './messages.ts';

const GENESIS_SECONDS = 1_700_000_000;
const START_MS = GENESIS_SECONDS * 1000;

const RULES = bftRules('ibft');

const BY_KEY = [1, 2, 3, 4].map(keySigner);
/** In the order of turns: the first proposes block 1 in round 0, the second in round 1. */
const VALIDATORS = sortedByChecksumText(BY_KEY.map(({ address }) => address));
const [PROPOSER, ME, THIRD, FOURTH] = VALIDATORS.map(
  (address) => BY_KEY.find((signer) => equalBytes(signer.address, address))!,
) as [ConsensusSigner, ConsensusSigner, ConsensusSigner, ConsensusSigner];

const GENESIS = bftGenesis('ibft', VALIDATORS, GENESIS_SECONDS);

function proposal(by: ConsensusSigner, seconds = 1, gasUsed = 0n): Block {
  const template = headerTemplate({
    engine: 'ibft',
    parent: GENESIS.header,
    parentHash: GENESIS.hash,
    validators: VALIDATORS,
    rules: RULES,
    parentRules: RULES,
    proposer: by.address,
    vote: undefined,
    vanity: EMPTY_BYTES,
    nowMs: START_MS,
    notBeforeMs: START_MS + seconds * 1000,
  });
  const header = { ...GENESIS.header, ...template, gasUsed };
  const sealed = withProposerSeal(header, by.sign(ibftProposerPreimage(header)));
  return blockOf(sealed, { transactions: [], uncles: [] });
}

class Bench {
  nowMs = START_MS + 1500;
  readonly effects: BftEffect[] = [];
  private readonly engine: IbftEngine;

  constructor(
    signer: ConsensusSigner,
    memory?: VoteMemory,
    validators = VALIDATORS,
    rules = RULES,
  ) {
    this.engine = new IbftEngine(signer);
    const start = { kind: 'start', head: GENESIS.header, headHash: GENESIS.hash } as const;
    this.step({ ...start, validators, rules, ...(memory && { memory }) });
  }

  step(input: BftInput): readonly BftEffect[] {
    const effects = this.engine.step(input, this.nowMs);
    this.effects.push(...effects);
    return effects;
  }

  hear(...messages: readonly IbftMessage[]): readonly BftEffect[] {
    return messages.flatMap((message) => {
      const bytes = encodeMessage(message);
      return this.step({ kind: 'message', from: THIRD.address, code: IBFT_MESSAGE, bytes });
    });
  }

  verified(block: Block, fault?: string): readonly BftEffect[] {
    return this.step({ kind: 'verified', hash: block.hash, ...(fault !== undefined && { fault }) });
  }

  timeout(round: number): readonly BftEffect[] {
    return this.step({ kind: 'timer', id: `round/1/${round}` });
  }

  get memory(): VoteMemory {
    return ofKind(this.effects, 'remember').at(-1)!.memory;
  }
}

/** The messages sent, such as `prepare 1/0`, in order. */
function said(effects: readonly BftEffect[]): string[] {
  return ofKind(effects, 'broadcast').map(({ bytes }) => {
    const { kind, view } = decodeMessage(bytes);
    return `${kind} ${view.height}/${view.round}`;
  });
}

function ofKind<K extends BftEffect['kind']>(effects: readonly BftEffect[], kind: K) {
  return effects.filter(
    (effect): effect is Extract<BftEffect, { kind: K }> => effect.kind === kind,
  );
}

const VIEW = { height: 1, round: 0 };
const NEXT = { height: 1, round: 1 };

function commitOf(signer: ConsensusSigner, block: Block, view = VIEW) {
  return signCommit(signer, view, block.hash, commitSeal(signer, block));
}

/** A validator that has locked `block` in round 0, which ended without a decision. */
function locked(block: Block): Bench {
  const bench = new Bench(ME);
  bench.hear(signPreprepare(PROPOSER, VIEW, block));
  bench.verified(block);
  bench.hear(signPrepare(PROPOSER, VIEW, block.hash), signPrepare(THIRD, VIEW, block.hash));
  return bench;
}

describe('IBFT engine', () => {
  it('abandons a check that outlasts its round, whether it asks for the next or is called to it', () => {
    const block = proposal(PROPOSER);
    const abandoned = [{ kind: 'abandon', hash: block.hash }];
    const slow = new Bench(ME);
    slow.hear(signPreprepare(PROPOSER, VIEW, block));
    expect(ofKind(slow.timeout(0), 'abandon')).toEqual(abandoned);
    const called = new Bench(ME);
    called.hear(signPreprepare(PROPOSER, VIEW, block));
    const claims = [PROPOSER, THIRD, FOURTH].map((each) => signRoundChange(each, NEXT));
    expect(ofKind(called.hear(...claims), 'abandon')).toEqual(abandoned);
  });

  it('decides: PRE-PREPARE, PREPARE, COMMIT, each vote behind its memory, with seals that hold', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    expect(ofKind(bench.hear(signPreprepare(PROPOSER, VIEW, block)), 'verify').length).toBe(1);
    expect(bench.verified(block).map(({ kind }) => kind)).toEqual(['remember', 'broadcast']);
    bench.hear(signPrepare(PROPOSER, VIEW, block.hash));
    const vote = bench.hear(signPrepare(THIRD, VIEW, block.hash));
    expect(vote.map(({ kind }) => kind)).toEqual(['remember', 'broadcast']);
    expect(said(vote)).toEqual(['commit 1/0']);
    bench.hear(commitOf(PROPOSER, block));
    const [decision] = ofKind(bench.hear(commitOf(THIRD, block)), 'decide');
    const header = withCommitSeals(decision!.block.header, decision!.round, decision!.seals);
    const fault = sealedHeaderFault(header, {
      engine: 'ibft',
      parent: GENESIS.header,
      parentHash: GENESIS.hash,
      validators: VALIDATORS,
      rules: RULES,
      nowMs: bench.nowMs,
    });
    expect(fault).toBeUndefined();
    expect(decision!.seals.length).toBe(3);
  });

  it('counts a COMMIT as support, and decides on seals alone', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    bench.hear(commitOf(PROPOSER, block), commitOf(THIRD, block), commitOf(FOURTH, block));
    bench.hear(signPreprepare(PROPOSER, VIEW, block));
    const effects = bench.verified(block);
    expect(said(effects)).toEqual(['prepare 1/0', 'commit 1/0']);
    expect(ofKind(effects, 'decide').length).toBe(1);
  });

  it('decides alone where it is the only validator, after a timeout too', () => {
    const bench = new Bench(ME, undefined, [ME.address]);
    expect(said(bench.timeout(0))).toEqual(['roundChange 1/1']);
    const asked = ofKind(bench.effects, 'assemble').at(-1)!;
    expect(asked.view).toEqual(NEXT);
    const effects = bench.step({ kind: 'assembled', view: asked.view, block: proposal(ME) });
    expect(said(effects)).toEqual(['preprepare 1/1', 'prepare 1/1', 'commit 1/1']);
    expect(ofKind(effects, 'decide').length).toBe(1);
  });

  it('asks for the next round at once when execution refuses the proposal', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER);
    bench.hear(signPreprepare(PROPOSER, VIEW, block));
    const effects = bench.verified(block, 'invalid merkle root');
    expect(ofKind(effects, 'misbehaved')).toEqual([
      { kind: 'misbehaved', peer: PROPOSER.address, fault: 'invalid merkle root' },
    ]);
    expect(said(effects)).toEqual(['roundChange 1/1']);
  });

  it('holds a proposal of the future until its time', () => {
    const bench = new Bench(ME);
    const block = proposal(PROPOSER, 5);
    const held = bench.hear(signPreprepare(PROPOSER, VIEW, block));
    expect(held).toEqual([{ kind: 'setTimer', id: 'future/1/0', delayMs: 3500 }]);
    bench.nowMs += 3500;
    const due = bench.step({ kind: 'timer', id: 'future/1/0' });
    expect(ofKind(due, 'verify').length).toBe(1);
  });

  it.each([
    ['of another author', proposal(THIRD), 'the author of the block is not its proposer'],
    [
      'without an author',
      blockOf(withProposerSeal(proposal(PROPOSER).header, EMPTY_BYTES), {
        transactions: [],
        uncles: [],
      }),
      'invalid signature',
    ],
  ])('refuses a proposal %s', (_what, block, fault) => {
    const effects = new Bench(ME).hear(signPreprepare(PROPOSER, VIEW, block));
    expect(ofKind(effects, 'misbehaved').map((each) => each.fault)).toEqual([fault]);
    expect(said(effects)).toEqual(['roundChange 1/1']);
  });

  it('refuses a proposal of one whose turn it is not', () => {
    const effects = new Bench(ME).hear(signPreprepare(THIRD, VIEW, proposal(THIRD)));
    expect(effects).toEqual([
      { kind: 'misbehaved', peer: THIRD.address, fault: 'message does not come from proposer' },
    ]);
  });

  it('drops a COMMIT whose seal is of nobody, and says whose it was', () => {
    const bench = locked(proposal(PROPOSER));
    const block = proposal(PROPOSER);
    bench.hear(commitOf(PROPOSER, block));
    const bad = signCommit(THIRD, VIEW, block.hash, THIRD.sign(block.hash));
    const effects = bench.hear(bad);
    expect(ofKind(effects, 'decide')).toEqual([]);
    expect(ofKind(effects, 'misbehaved').map(({ peer }) => peer)).toEqual([THIRD.address]);
    expect(ofKind(bench.hear(commitOf(FOURTH, block)), 'decide').length).toBe(1);
  });

  it('refuses a message under another name, and bytes that cannot be read', () => {
    const bench = new Bench(ME);
    const forged = { ...signRoundChange(THIRD, NEXT), address: FOURTH.address };
    expect(bench.hear(forged)).toEqual([
      { kind: 'misbehaved', peer: THIRD.address, fault: 'message not signed by the sender' },
    ]);
    const bytes = Uint8Array.of(0xc0);
    expect(
      bench.step({ kind: 'message', from: FOURTH.address, code: IBFT_MESSAGE, bytes }),
    ).toEqual([
      { kind: 'misbehaved', peer: FOURTH.address, fault: 'fail to decode istanbul message' },
    ]);
  });
});

describe('rounds of IBFT', () => {
  it('are asked for at the timeout, and begin when a quorum has asked', () => {
    const bench = new Bench(ME);
    expect(said(bench.timeout(0))).toEqual(['roundChange 1/1']);
    expect(bench.hear(signRoundChange(THIRD, NEXT))).toEqual([]);
    const begun = bench.hear(signRoundChange(FOURTH, NEXT));
    expect(ofKind(begun, 'assemble').map(({ view }) => view)).toEqual([NEXT]);
  });

  it('last 2^round seconds longer', () => {
    const bench = new Bench(ME);
    const delays = [0, 1, 2].map((round) => {
      const timers = ofKind(bench.timeout(round), 'setTimer');
      return timers.find(({ id }) => id.startsWith('round/'))!.delayMs;
    });
    expect(delays).toEqual([4000, 6000, 10_000]);
  });

  it('are joined when f + 1 are ahead, and begin without the own timeout', () => {
    const bench = new Bench(ME);
    const view = { height: 1, round: 4 };
    expect(bench.hear(signRoundChange(THIRD, view))).toEqual([]);
    expect(said(bench.hear(signRoundChange(FOURTH, { height: 1, round: 5 })))).toEqual([
      'roundChange 1/4',
    ]);
  });

  it('that are only asked for keep votes for later', () => {
    const bench = new Bench(ME);
    bench.timeout(0);
    const view = { height: 1, round: 1 };
    const block = proposal(THIRD);
    expect(
      bench.hear(signPrepare(THIRD, view, block.hash), signPrepare(FOURTH, view, block.hash)),
    ).toEqual([]);
    bench.hear(signRoundChange(THIRD, view), signRoundChange(FOURTH, view));
    const [asked] = ofKind(bench.effects, 'assemble');
    const own = proposal(ME);
    const effects = bench.step({ kind: 'assembled', view: asked!.view, block: own });
    expect(said(effects)).toEqual(['preprepare 1/1', 'prepare 1/1']);
  });
});

describe('the lock of IBFT', () => {
  const block = proposal(PROPOSER);

  it('is proposed again by its holder', () => {
    const bench = locked(block);
    bench.timeout(0);
    const effects = bench.hear(signRoundChange(THIRD, NEXT), signRoundChange(FOURTH, NEXT));
    expect(said(effects)).toEqual(['preprepare 1/1', 'commit 1/1']);
    const { bytes } = ofKind(effects, 'broadcast')[0]!;
    const message = decodeMessage(bytes);
    expect(message.kind === 'preprepare' && equalBytes(message.block.hash, block.hash)).toBe(true);
  });

  it('answers another block with a ROUND-CHANGE, and the same one with a COMMIT', () => {
    const bench = locked(block);
    bench.timeout(0);
    const second = { height: 1, round: 2 };
    bench.hear(signRoundChange(PROPOSER, second), signRoundChange(FOURTH, second));
    bench.hear(signRoundChange(THIRD, second));
    expect(said(bench.hear(signPreprepare(THIRD, second, proposal(THIRD))))).toEqual([
      'roundChange 1/3',
    ]);
    const third = { height: 1, round: 3 };
    for (const signer of [PROPOSER, THIRD, FOURTH]) bench.hear(signRoundChange(signer, third));
    expect(said(bench.hear(signPreprepare(FOURTH, third, block)))).toEqual(['commit 1/3']);
  });

  it('outlives a restart', () => {
    const bench = new Bench(ME, locked(block).memory);
    expect(said(bench.effects)).toEqual([]);
    const seconds = bench.hear(signPreprepare(PROPOSER, VIEW, proposal(PROPOSER, 1, 7n)));
    expect(seconds).toEqual([]);
    bench.hear(signPreprepare(PROPOSER, VIEW, block));
    expect(said(bench.verified(block))).toEqual(['commit 1/0']);
  });

  it('stays silent below the height that was voted', () => {
    const { memory } = locked(block);
    const bench = new Bench(ME, { ...memory, height: 2 });
    bench.hear(signPreprepare(PROPOSER, VIEW, block));
    bench.verified(block);
    expect(said(bench.effects)).toEqual([]);
  });
});

describe('the switch to QBFT', () => {
  it('keeps QBFT messages that come before the last IBFT block', () => {
    const engine = new EngineSwitch(ME);
    const start = { kind: 'start', head: GENESIS.header, headHash: GENESIS.hash } as const;
    engine.step({ ...start, validators: VALIDATORS, rules: RULES }, START_MS);
    const early = signQbftPrepare(THIRD, { height: 2, round: 0 }, ZERO_HASH);
    const message = {
      kind: 'message',
      from: THIRD.address,
      code: QBFT_CODE.prepare,
      bytes: encodeQbft(early),
    } as const;
    expect(engine.step(message, START_MS)).toEqual([]);
    const last = proposal(PROPOSER);
    const rules = { ...RULES, engine: 'qbft' } as const;
    const entered = { kind: 'committed', head: last.header, headHash: last.hash } as const;
    engine.step({ ...entered, validators: VALIDATORS, rules }, START_MS);
    // The first vote was received: one for another block is a double vote now.
    const other = signQbftPrepare(THIRD, { height: 2, round: 0 }, EMPTY_ROOT);
    const effects = engine.step({ ...message, bytes: encodeQbft(other) }, START_MS);
    expect(ofKind(effects, 'misbehaved').map(({ fault }) => fault)).toEqual([
      'two different PREPARE messages in one round',
    ]);
    const late = encodeMessage(signRoundChange(THIRD, NEXT));
    expect(engine.step({ ...message, code: IBFT_MESSAGE, bytes: late }, START_MS)).toEqual([]);
  });
});
