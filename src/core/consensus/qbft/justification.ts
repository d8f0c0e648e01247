/**
 * Proofs that a proposal in a later round cannot contradict a decision (GoQuorum
 * consensus/istanbul/qbft/core/justification.go). GoQuorum counts messages; here each signer counts
 * once, and every signature, height and round is checked. Honest messages always pass.
 */
import { type Address, equalBytes, isZeroBytes, keyOf } from '../../base/bytes.ts';
import type { Block } from '../../chain/block.ts';
import type { ConsensusSigner, ValidatorSet, View } from '../bft/interface.ts';
import { isValidator } from '../bft/validators.ts';
import {
  type Prepare,
  type RoundChange,
  type RoundChangeClaim,
  type Signed,
  signerOf,
} from './messages.ts';

/** Who may vote at a height, and how many votes decide. */
export interface Electorate {
  readonly signer: ConsensusSigner;
  readonly validators: ValidatorSet;
  readonly quorum: number;
}

/** Why a proposal of a round above 0 is not justified, or undefined when it is. */
export function proposalFault(
  electorate: Electorate,
  view: View,
  block: Block,
  roundChanges: readonly RoundChangeClaim[],
  prepares: readonly Prepare[],
): string | undefined {
  const { quorum, validators } = electorate;
  if (Math.max(roundChanges.length, prepares.length) > validators.length) {
    return 'more justifying messages than validators';
  }
  const claims = countedOnce(electorate, roundChanges).filter(
    (claim) => claim.view.height === view.height && claim.view.round === view.round,
  );
  if (claims.length < quorum) {
    return 'number of roundchange messages is less than required quorum of messages';
  }
  if (prepares.length === 0) {
    return claims.filter(isUnprepared).length >= quorum
      ? undefined
      : 'quorum of roundchange messages with nil prepared round not found';
  }
  return preparedFault(electorate, view, block, claims, prepares);
}

function isUnprepared({ prepared }: RoundChangeClaim): boolean {
  return !prepared || (prepared.round === 0 && isZeroBytes(prepared.digest));
}

function preparedFault(
  electorate: Electorate,
  view: View,
  block: Block,
  claims: readonly RoundChangeClaim[],
  prepares: readonly Prepare[],
): string | undefined {
  if (prepares.length < electorate.quorum) {
    return 'number of prepared messages is less than required quorum of messages';
  }
  const round = prepares[0]!.view.round;
  if (prepares.some((p) => p.view.round !== round || !equalBytes(p.digest, block.hash))) {
    return 'prepared messages do not have same round or do not match proposal';
  }
  if (round >= view.round) return 'prepared messages are not of an earlier round';
  if (prepares.some((p) => p.view.height !== view.height)) {
    return 'prepared messages are of another height';
  }
  if (countedOnce(electorate, prepares).length < electorate.quorum) {
    return 'number of prepared messages is less than required quorum of messages';
  }
  const lower = claims.filter(({ prepared }) => !prepared || prepared.round <= round);
  const isMatched = lower.some(
    ({ prepared }) => prepared?.round === round && equalBytes(prepared.digest, block.hash),
  );
  return lower.length >= electorate.quorum && isMatched
    ? undefined
    : 'quorum of roundchange messages with prepared round and proposal not found';
}

/**
 * Why the certificate of a ROUND-CHANGE that claims a prepared block does not prove it, or
 * undefined when it does.
 */
export function certificateFault(electorate: Electorate, message: RoundChange): string | undefined {
  const { prepared, prepares, block, view } = message;
  if (!prepared || !block || prepares.length < electorate.quorum) {
    return 'number of prepare messages is less than quorum of messages';
  }
  if (prepares.length > electorate.validators.length)
    return 'more prepare messages than validators';
  for (const prepare of prepares) {
    if (!equalBytes(prepare.digest, prepared.digest)) {
      return 'prepared message digest does not match roundchange prepared digest';
    }
    if (prepare.view.round !== prepared.round) {
      return 'round number in prepared message does not match prepared round in roundchange';
    }
    if (prepare.view.height !== view.height) return 'prepared message is of another height';
  }
  if (prepared.round >= view.round) return 'prepared round is not before the target round';
  if (block.header.number !== view.height) return 'prepared block is of another height';
  if (countedOnce(electorate, prepares).length < electorate.quorum) {
    return 'number of prepare messages is less than quorum of messages';
  }
  return undefined;
}

/** The first message of each validator; others are dropped. */
function countedOnce<M extends Signed>(
  { signer, validators }: Electorate,
  messages: readonly M[],
): M[] {
  const seen = new Set<string>();
  return messages.filter((message) => {
    const author: Address | undefined = signerOf(signer, message);
    if (!author || !isValidator(validators, author) || seen.has(keyOf(author))) return false;
    seen.add(keyOf(author));
    return true;
  });
}
