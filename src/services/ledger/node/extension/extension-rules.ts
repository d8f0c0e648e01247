/**
 * Rules of an extension that do not depend on this node's state, and their texts: those of GoQuorum
 * extension/api.go.
 */
import { fromBase64 } from '../../../../core/base/base64.ts';
import { type Address, equalBytes } from '../../../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../../../core/base/errors.ts';
import { STANDARD_PRIVATE } from '../../../../core/privacy/flags.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import type { ManagementState } from '../../../../core/privacy/management-contract.ts';
import type { PrivateArgs, TransactionArgs } from '../sending/send-args.ts';

/** Sender if the caller names none. */
export const ZERO_ADDRESS: Address = new Uint8Array(20);

export const NOTHING_TO_ACCEPT = 'contract extension process complete. nothing to accept';

const NOT_ACCEPTOR = 'account is not acceptor of this extension request';

/** Which rules apply: those of `ledger*` are stricter (docs/privacy.md). */
export type ExtensionRules = 'ledger' | 'quorum';

/** The private state for which a request is made, and the rules that apply. */
export interface ExtensionCaller {
  readonly psi: Psi;
  readonly rules: ExtensionRules;
  /** Throws ACCESS_DENIED unless the caller may act with this account; undefined: not checked. */
  readonly checkActor?: (actor: {
    readonly from: Address;
    readonly privateFrom: string | undefined;
  }) => void;
}

export const NOBODY: PrivateArgs = {
  privateFrom: undefined,
  privateFor: [],
  flag: STANDARD_PRIVATE,
  mandatoryFor: undefined,
};

/** Management contracts are always standard private, whatever the caller requested. */
export function privately({ private: args }: TransactionArgs): PrivateArgs {
  return { ...(args ?? NOBODY), flag: STANDARD_PRIVATE, mandatoryFor: undefined };
}

export function checkTenant(
  caller: ExtensionCaller,
  { from, private: args }: TransactionArgs,
): void {
  caller.checkActor?.({ from: from ?? ZERO_ADDRESS, privateFrom: args?.privateFrom });
}

export function checkVoter(rules: ExtensionRules, state: ManagementState, who: Address): void {
  const voters = rules === 'ledger' ? state.voters.slice(1) : state.voters;
  if (!voters.some((each) => equalBytes(each, who))) throw no(NOT_ACCEPTOR);
  if (state.hasVoted(who)) throw hasVoted(rules);
}

export function hasVoted(rules: ExtensionRules): QuorateError {
  return no(rules === 'ledger' ? NOTHING_TO_ACCEPT : 'already voted');
}

export function checkCreator({ creator }: ManagementState, who: Address): void {
  if (!equalBytes(who, creator)) throw no('account is not the creator of this extension request');
}

export function checkKey(key: string): void {
  try {
    fromBase64(key);
  } catch {
    throw no('invalid new recipient transaction manager key provided');
  }
}

/** GoQuorum adds the new party's key if none is given; the ledger API requires it. */
export function recipientsOf(
  rules: ExtensionRules,
  key: string,
  privateFor: readonly string[],
): readonly string[] {
  if (rules === 'ledger' && privateFor.length === 0)
    throw no(`privateFor must contain the transaction manager key of the new party: ${key}`);
  if (privateFor.length > 1)
    throw no('invalid transaction manager keys given in privateFor argument');
  if (privateFor.length === 1 && privateFor[0] !== key) {
    throw no('mismatch between recipient transaction manager key and privateFor argument');
  }
  return [key];
}

export function no(text: string): QuorateError {
  return fail('EXTENSION_REFUSED', text);
}
