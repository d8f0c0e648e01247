import { expect, it } from 'vitest';
import { bftGenesis, bftRules } from '../../../test/support/bft-chain.ts';
import {
  Bench,
  ME,
  ofKind,
  PROPOSER,
  proposal,
  RULES,
  THIRD,
  VALIDATORS,
  VIEW,
} from '../../../test/support/qbft-bench.ts';
import { keccak256 } from '../base/keccak.ts';
import type { Slices } from '../base/pace.ts';
import { listOfRaw, RlpWriter } from '../base/rlp.ts';
import { type Block, EncodedBlock } from '../chain/block.ts';
import { encodeHeader } from '../chain/header.ts';
import type { BftEffect, BftInput, ConsensusSigner } from './bft/interface.ts';
import { IbftEngine } from './ibft/engine.ts';
import * as ibft from './ibft/messages.ts';
import { messageHashes, proposalHash } from './long-messages.ts';
import { decodeMessage, encodeMessage, QBFT_CODE, signPreprepare } from './qbft/messages.ts';

const PAYLOAD_BYTES = 600_000;

/** One whose body has so many bytes, which agreement does not read. */
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
  expect(pieces).toBeGreaterThan((2 * PAYLOAD_BYTES) / 262_144);
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
  expect(effects).toEqual(whole.step(message));
  // It is known again, however it is hashed.
  expect(hashed.step(message)).toEqual([]);
  const forged = { ...result!, signed: keccak256(Uint8Array.of(1)) };
  expect(ofKind(new Bench(ME).step({ ...message, hashes: forged }), 'verify')).toEqual([]);
});

it('what cannot be read has no hashes: the engine says whose fault it is', () => {
  const bytes = new Uint8Array(PAYLOAD_BYTES);
  expect(counted(messageHashes(QBFT_CODE.preprepare, bytes)).result).toBeUndefined();
  expect(counted(messageHashes(ibft.IBFT_MESSAGE, bytes)).result).toBeUndefined();
});

it('a long proposal of our own is hashed in pieces, for the round it is made for', () => {
  const block = long(ME);
  const view = { height: 1, round: 0 };
  const { pieces, result } = counted(proposalHash('qbft', ME.address, view, block));
  expect(pieces).toBeGreaterThan(PAYLOAD_BYTES / 262_144);
  const alone = () => new Bench(ME, RULES, undefined, [ME.address]);
  const assembled: BftInput = { kind: 'assembled', view, block };
  const whole = alone().step(assembled);
  expect(broadcasts(whole).length).toBe(3);
  const hashed = alone().step({ ...assembled, signedHash: result! });
  expect(broadcasts(hashed)).toEqual(broadcasts(whole));

  // One of another round is not signed: its own hash is computed.
  const other = alone().step({
    ...assembled,
    view: { height: 1, round: 1 },
    signedHash: new Uint8Array(32),
  });
  expect(broadcasts(other)).toEqual(broadcasts(whole));
  const [proposed] = ofKind(hashed, 'broadcast');
  expect(decodeMessage(proposed!.code, proposed!.bytes).kind).toBe('preprepare');
  const short = counted(proposalHash('qbft', ME.address, view, proposal(ME)));
  expect(short).toEqual({ pieces: 1, result: undefined });
});

it('the same in IBFT', () => {
  const block = long(PROPOSER);
  const rules = bftRules('ibft');
  const genesis = bftGenesis('ibft', VALIDATORS, 1_700_000_000);
  const bytes = ibft.encodeMessage(ibft.signPreprepare(PROPOSER, VIEW, block));
  const { pieces, result } = counted(messageHashes(ibft.IBFT_MESSAGE, bytes));
  expect(pieces).toBeGreaterThan((2 * PAYLOAD_BYTES) / 262_144);
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
  expect(hashed).toEqual(whole);
  expect(hashed).not.toEqual([]);

  const hash = counted(proposalHash('ibft', PROPOSER.address, VIEW, block));
  expect(hash.pieces).toBeGreaterThan(PAYLOAD_BYTES / 262_144);
  const signed = ibft.signPreprepare(PROPOSER, VIEW, block, hash.result!);
  expect(ibft.encodeMessage(signed)).toEqual(bytes);
});
