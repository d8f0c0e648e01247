import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { bftGenesis, bftRules } from '../../../test/support/bft-chain.ts';
import {
  Bench,
  FOURTH,
  ME,
  ofKind,
  PROPOSER,
  proposal,
  RULES,
  said,
  THIRD,
  VALIDATORS,
  VIEW,
} from '../../../test/support/qbft-bench.ts';
import { keccak256 } from '../base/keccak.ts';
import { PIECE_BYTES, type Slices } from '../base/pace.ts';
import { listOfRaw, RlpWriter } from '../base/rlp.ts';
import { type Block, EncodedBlock } from '../chain/block.ts';
import { encodeHeader } from '../chain/header.ts';
import type { BftEffect, BftInput, ConsensusSigner } from './bft/interface.ts';
import { IbftEngine } from './ibft/engine.ts';
import * as ibft from './ibft/messages.ts';
import { longProposal, messageHashes } from './long-messages.ts';
import {
  decodeMessage,
  encodeMessage,
  QBFT_CODE,
  signerOf,
  signPrepare,
  signPreprepare,
  signRoundChange,
} from './qbft/messages.ts';

const PAYLOAD_BYTES = 600_000;

/** A block whose body has this many bytes, which consensus does not read. */
function long(by: ConsensusSigner): Block {
  const transactions = new RlpWriter(PAYLOAD_BYTES + 8)
    .string(new Uint8Array(PAYLOAD_BYTES))
    .finish();
  const body = [listOfRaw([transactions]), listOfRaw([])];
  return new EncodedBlock(listOfRaw([encodeHeader(proposal(by).header), ...body]));
}

function counted<T>(work: Slices<T>): { readonly pieces: number; readonly result: T } {
  for (let pieces = 1; ; pieces++) {
    const step = work.next();
    if (step.done) return { pieces, result: step.value };
  }
}

const broadcasts = (effects: readonly BftEffect[]) =>
  ofKind(effects, 'broadcast').map(({ bytes }) => keccak256(bytes));

it('a long proposal of another is hashed in pieces, and heard as one that is not', () => {
  const block = long(PROPOSER);
  const bytes = encodeMessage(signPreprepare(PROPOSER, VIEW, block, [], []));
  const { pieces, result } = counted(messageHashes(QBFT_CODE.preprepare, bytes));
  expect(pieces).toBeGreaterThan((2 * PAYLOAD_BYTES) / PIECE_BYTES);
  expect(result!.message).toEqual(keccak256(bytes));

  const message = {
    kind: 'message',
    from: THIRD.address,
    code: QBFT_CODE.preprepare,
    bytes,
  } as const;
  const [hashed, whole] = [new Bench(ME), new Bench(ME)];
  const effects = hashed.step({ ...message, hashes: result! });
  expect(ofKind(effects, 'verify').length).toBe(1);
  expect(isDeepStrictEqual(effects, whole.step(message))).toBe(true);
  // The message is recognised as a repetition, with or without given hashes.
  expect(hashed.step(message)).toEqual([]);
  const forged = { ...result!, signed: keccak256(Uint8Array.of(1)) };
  expect(ofKind(new Bench(ME).step({ ...message, hashes: forged }), 'verify')).toEqual([]);
});

it('what cannot be read has no hashes: the engine says whose fault it is', () => {
  const bytes = new Uint8Array(PAYLOAD_BYTES);
  expect(counted(messageHashes(QBFT_CODE.preprepare, bytes)).result).toBeUndefined();
  expect(counted(messageHashes(ibft.IBFT_MESSAGE, bytes)).result).toBeUndefined();
});

it('a long proposal of our own is encoded and hashed in pieces, for the round it is made for', () => {
  const block = long(ME);
  const view = { height: 1, round: 0 };
  const { pieces, result } = counted(longProposal('qbft', ME.address, view, block));
  expect(pieces).toBeGreaterThan(PAYLOAD_BYTES / PIECE_BYTES);
  const bench = new Bench(ME, RULES, undefined, [ME.address]);
  const asked = bench.step({ kind: 'assembled', view, block });
  expect(ofKind(asked, 'encode').map((each) => each.view)).toEqual([view]);
  expect(broadcasts(asked)).toEqual([]);
  // The answer for another round has no effect.
  const other = { ...result, view: { height: 1, round: 1 } };
  expect(broadcasts(bench.step({ kind: 'encoded', proposal: other }))).toEqual([]);
  const effects = bench.step({ kind: 'encoded', proposal: result });
  expect(said(effects)).toEqual(['preprepare', 'prepare', 'commit']);
  const [proposed] = ofKind(effects, 'broadcast');
  const whole = encodeMessage(signPreprepare(ME, view, block, [], []));
  expect(Buffer.from(proposed!.bytes).equals(whole)).toBe(true);
  expect(bench.step({ kind: 'encoded', proposal: result })).toEqual([]);
  const short = new Bench(ME, RULES, undefined, [ME.address]);
  expect(said(short.step({ kind: 'assembled', view, block: proposal(ME) })).length).toBe(3);
});

it('a long block that is proposed again in a later round is encoded in pieces too', () => {
  const block = long(PROPOSER);
  const bench = new Bench(ME);
  bench.hear(signPreprepare(PROPOSER, VIEW, block, [], []));
  bench.verified(block);
  for (const other of [PROPOSER, THIRD]) bench.hear(signPrepare(other, VIEW, block.hash));
  bench.fire('round');
  const view = { height: 1, round: 1 };
  const lock = {
    ...{ round: 0, block },
    prepares: [PROPOSER, THIRD, FOURTH].map((by) => signPrepare(by, VIEW, block.hash)),
  };
  for (const other of [THIRD, FOURTH]) bench.hear(signRoundChange(other, view, lock));
  const asked = ofKind(bench.effects, 'encode');
  expect(asked.map(({ view: of, block: { hash } }) => [of, hash])).toEqual([[view, block.hash]]);
  const again = bench.hear(signRoundChange(PROPOSER, view, lock));
  expect([...said(again), ...ofKind(again, 'encode')]).toEqual([]);
  const { pieces, result } = counted(longProposal('qbft', ME.address, view, asked[0]!.block));
  expect(pieces).toBeGreaterThan(PAYLOAD_BYTES / PIECE_BYTES);
  const effects = bench.step({ kind: 'encoded', proposal: result });
  expect(said(effects)).toContain('preprepare');
  const { code, bytes } = ofKind(effects, 'broadcast').find(
    (sent) => sent.code === QBFT_CODE.preprepare,
  )!;
  const message = decodeMessage(code, bytes);
  expect(signerOf(ME, message)).toEqual(ME.address);
  expect(message.kind === 'preprepare' && [message.view, message.block.hash]).toEqual([
    view,
    block.hash,
  ]);
});

it('the same in IBFT', () => {
  const block = long(PROPOSER);
  const rules = bftRules('ibft');
  const genesis = bftGenesis('ibft', VALIDATORS, 1_700_000_000);
  const bytes = ibft.encodeMessage(ibft.signPreprepare(PROPOSER, VIEW, block));
  const { pieces, result } = counted(messageHashes(ibft.IBFT_MESSAGE, bytes));
  expect(pieces).toBeGreaterThan((2 * PAYLOAD_BYTES) / PIECE_BYTES);
  expect(result!.message).toEqual(keccak256(bytes));
  const message = { kind: 'message', from: THIRD.address, code: ibft.IBFT_MESSAGE, bytes } as const;
  const [hashed, whole] = [{ hashes: result! }, {}].map((more) => {
    const engine = new IbftEngine(ME);
    const { header: head, hash: headHash } = genesis;
    engine.step(
      { kind: 'start', head, headHash, validators: VALIDATORS, rules },
      1_700_000_001_500,
    );
    return engine.step({ ...message, ...more }, 1_700_000_001_500);
  });
  expect(isDeepStrictEqual(hashed, whole)).toBe(true);
  expect(hashed!.length).toBeGreaterThan(0);

  const proposed = counted(longProposal('ibft', PROPOSER.address, VIEW, block));
  expect(proposed.pieces).toBeGreaterThan(PAYLOAD_BYTES / PIECE_BYTES);
  const signed = ibft.signPreprepare(PROPOSER, VIEW, block, proposed.result);
  expect(Buffer.from(ibft.encodeMessage(signed)).equals(bytes)).toBe(true);
  const proposer = new IbftEngine(PROPOSER);
  const step = (input: BftInput) => proposer.step(input, 1_700_000_001_500);
  const headHash = block.header.parentHash;
  const start = { kind: 'start', head: genesis.header, headHash } as const;
  step({ ...start, validators: VALIDATORS, rules });
  const asked = step({ kind: 'assembled', view: VIEW, block });
  expect(ofKind(asked, 'encode').map(({ view }) => view)).toEqual([VIEW]);
  expect(ofKind(asked, 'broadcast')).toEqual([]);
  const sent = ofKind(step({ kind: 'encoded', proposal: proposed.result }), 'broadcast');
  expect(Buffer.from(sent[0]!.bytes).equals(bytes)).toBe(true);
});
