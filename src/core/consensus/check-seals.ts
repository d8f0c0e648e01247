/**
 * Whether a header was made by the rules of a BFT engine (GoQuorum
 * consensus/istanbul/{ibft,qbft}/engine/engine.go): the fields, and the seals of a quorum of the
 * parent's validators. Faults are GoQuorum's texts.
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { recoverAddress } from '../base/secp256k1.ts';
import { EMPTY_UNCLES_HASH } from '../chain/block.ts';
import {
  blockAuthor,
  commitPreimage,
  decodeIbftExtra,
  decodeQbftExtra,
  ISTANBUL_DIGEST,
  voteOf,
} from '../chain/extra-data.ts';
import type { Header } from '../chain/header.ts';
import type { BftEngine, ConsensusRules } from '../chain/rules.ts';
import type { ConsensusSigner, ValidatorSet } from './bft/interface.ts';
import { quorumOf } from './bft/quorum.ts';
import { isValidator } from './bft/validators.ts';

/** The only fault that disappears with time. */
export const FUTURE_BLOCK = 'block in the future';

/** The data that a header is checked against, except the validators that may make it. */
export interface ParentContext {
  readonly engine: BftEngine;
  readonly parent: Pick<Header, 'number' | 'timestamp'>;
  readonly parentHash: Uint8Array;
  /** Rules at the header's number. */
  readonly rules: ConsensusRules;
  /**
   * Undefined for a block that a quorum has decided, and so has not found too early: this machine's
   * clock may be behind.
   */
  readonly nowMs?: number | undefined;
}

export interface HeaderContext extends ParentContext {
  /** The validators that may make this block: the set after its parent. */
  readonly validators: ValidatorSet;
}

/**
 * The fault of a header without regard to its commit seals, or undefined. Without `validators` any
 * author passes.
 */
export function headerFault(
  header: Header,
  context: ParentContext & Partial<HeaderContext>,
  recover?: ConsensusSigner['recover'],
): string | undefined {
  const { engine, parent, rules, nowMs } = context;
  const latest = nowMs === undefined ? undefined : nowMs / 1000 + rules.allowedFutureBlockSeconds;
  if (latest !== undefined && header.timestamp > BigInt(Math.floor(latest))) return FUTURE_BLOCK;
  const fault = formFault(header, engine);
  if (fault) return fault;
  if (header.number !== parent.number + 1 || !equalBytes(header.parentHash, context.parentHash)) {
    return 'unknown ancestor';
  }
  // With a period below a second only this check remains: timestamps may repeat, but never
  // decrease.
  const stepSeconds = Math.floor(rules.blockPeriodMs / 1000);
  if (parent.timestamp + BigInt(stepSeconds) > header.timestamp) {
    return 'invalid timestamp';
  }
  const author = blockAuthor(engine, header, recover);
  if (!author) return 'invalid signature';
  const { validators } = context;
  return !validators || isValidator(validators, author) ? undefined : 'unauthorized';
}

/** Checks that need only the header. */
function formFault(header: Header, engine: BftEngine): string | undefined {
  const extra = readExtra(header, engine);
  if (!extra) return 'invalid extra data format';
  const voteFault = invalidVote(header, engine);
  if (voteFault) return voteFault;
  if (!equalBytes(header.mixHash, ISTANBUL_DIGEST)) return 'invalid Istanbul mix digest';
  if (!equalBytes(header.unclesHash, EMPTY_UNCLES_HASH)) return 'non empty uncle hash';
  return header.difficulty === 1n ? undefined : 'invalid difficulty';
}

function readExtra(header: Header, engine: BftEngine) {
  try {
    return engine === 'qbft'
      ? decodeQbftExtra(header.extraData)
      : decodeIbftExtra(header.extraData);
  } catch {
    return undefined;
  }
}

/** COMPAT: GoQuorum checks the vote when it counts it, but IBFT's nonce here. */
function invalidVote(header: Header, engine: BftEngine): string | undefined {
  try {
    voteOf(engine, header);
    return undefined;
  } catch {
    return engine === 'ibft' ? 'invalid nonce' : 'vote nonce not 0x00..0 or 0xff..f';
  }
}

/** A signature of a header, 65 bytes long if it is well-formed, and what it is over. */
export interface HeaderSignature {
  readonly hash: Hash32;
  readonly seal: Uint8Array;
}

/** All that `sealedHeaderFault` recovers; none of a header that is malformed. */
export function signaturesOf(header: Header, engine: BftEngine): readonly HeaderSignature[] {
  if (!readExtra(header, engine)) return [];
  const signatures: HeaderSignature[] = [];
  const note: ConsensusSigner['recover'] = (hash, seal) => {
    signatures.push({ hash, seal });
    return undefined;
  };
  blockAuthor(engine, header, note);
  committersOf(header, engine, note);
  return signatures;
}

/**
 * Signers of the commit seals, in order; undefined marks an invalid seal. Throws when the extra
 * data is malformed.
 */
export function committersOf(
  header: Header,
  engine: BftEngine,
  recover: ConsensusSigner['recover'] = recoverAddress,
): readonly (Address | undefined)[] {
  const extra =
    engine === 'qbft' ? decodeQbftExtra(header.extraData) : decodeIbftExtra(header.extraData);
  if (extra.seals.length === 0) return [];
  const preimage = commitPreimage(engine, header, extra.kind === 'qbft' ? extra.round : 0);
  return extra.seals.map((seal) => recover(preimage, seal));
}

/**
 * The fault of a header's commit seals, or undefined. COMPAT: GoQuorum accepts f + 1 seals on
 * import; its proposers always collect a quorum, so a quorum is required here.
 */
export function sealsFault(
  header: Header,
  context: Pick<HeaderContext, 'engine' | 'validators' | 'rules'>,
  recover?: ConsensusSigner['recover'],
): string | undefined {
  const { engine, validators, rules } = context;
  const extra = readExtra(header, engine);
  if (!extra) return 'invalid extra data format';
  if (extra.seals.length === 0) return 'zero committed seals';
  if (extra.seals.length > validators.length) return 'invalid committed seals';
  const counted = new Set<string>();
  for (const committer of committersOf(header, engine, recover)) {
    if (!committer) return 'invalid signature';
    if (!isValidator(validators, committer) || counted.has(keyOf(committer))) {
      return 'invalid committed seals';
    }
    counted.add(keyOf(committer));
  }
  const quorum = quorumOf(validators.length, rules.isCeil2Nby3);
  return counted.size >= quorum ? undefined : 'invalid committed seals';
}

/** The fault of a decided block's header: its fields, then its seals. */
export function sealedHeaderFault(
  header: Header,
  context: HeaderContext,
  recover?: ConsensusSigner['recover'],
): string | undefined {
  return headerFault(header, context, recover) ?? sealsFault(header, context, recover);
}
