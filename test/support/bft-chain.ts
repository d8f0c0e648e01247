/** Shared parts of tests of BFT chains: keys, rules, and a genesis block for either engine. */
import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../../src/core/base/bytes.ts';
import { EMPTY_ROOT } from '../../src/core/base/keccak.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../../src/core/base/secp256k1.ts';
import { type Block, blockOf, EMPTY_UNCLES_HASH } from '../../src/core/chain/block.ts';
import type { ConsensusRules } from '../../src/core/chain/consensus-rules.ts';
import {
  encodeIbftExtra,
  encodeQbftExtra,
  ISTANBUL_DIGEST,
} from '../../src/core/chain/extra-data.ts';
import type { BftEngine } from '../../src/core/chain/rules.ts';
import type { ConsensusSigner, ValidatorSet } from '../../src/core/consensus/bft/interface.ts';

/** 32 bytes; `number` is 1 to 255. */
export function secretKey(number: number): Uint8Array {
  const key = new Uint8Array(32);
  key[31] = number;
  return key;
}

export function keySigner(number: number): ConsensusSigner {
  const key = secretKey(number);
  return {
    address: addressOfSecretKey(key),
    sign: (hash) => sign65(hash, key),
    recover: recoverAddress,
  };
}

export function bftRules(engine: BftEngine, chosen: Partial<ConsensusRules> = {}): ConsensusRules {
  return {
    engine,
    blockPeriodMs: 1000,
    emptyBlockPeriodSeconds: 0,
    requestTimeoutMs: 2000,
    maxRequestTimeoutMs: 0,
    epoch: 30_000,
    proposerPolicy: 'roundRobin',
    allowedFutureBlockSeconds: 0,
    isCeil2Nby3: true,
    validatorContract: undefined,
    validatorOverride: undefined,
    ...chosen,
  };
}

/** Block 0, with a timestamp in Unix seconds. */
export function bftGenesis(engine: BftEngine, validators: ValidatorSet, seconds: number): Block {
  const shared = { vanity: ZERO_HASH, validators, seals: [] };
  const extraData =
    engine === 'ibft'
      ? encodeIbftExtra({ ...shared, proposerSeal: EMPTY_BYTES })
      : encodeQbftExtra({ ...shared, vote: undefined, round: 0 });
  return blockOf(
    {
      parentHash: ZERO_HASH,
      unclesHash: EMPTY_UNCLES_HASH,
      coinbase: ZERO_ADDRESS,
      stateRoot: EMPTY_ROOT,
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      bloom: new Uint8Array(256),
      difficulty: 1n,
      number: 0,
      gasLimit: 1n,
      gasUsed: 0n,
      timestamp: BigInt(seconds),
      extraData,
      mixHash: ISTANBUL_DIGEST,
      nonce: new Uint8Array(8),
    },
    { transactions: [], uncles: [] },
  );
}
