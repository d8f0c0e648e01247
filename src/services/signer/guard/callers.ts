/** Identifies a caller by its credentials, and which methods and accounts its token allows. */

import { AccessToken } from '../../../core/access/access-token.ts';
import type { Identity, Refusal } from '../../../core/signing/guard.ts';
import { matchesMethod } from '../../../core/signing/method-patterns.ts';
import { address, type CallerEntry } from './policy.ts';

/** EthSigner's error code for "Unauthorized". */
export const UNAUTHORIZED_CODE = -40_100;

type Claims = Readonly<Record<string, unknown>>;

export interface Shown {
  readonly certificate: string | undefined;
  /** undefined: no tokens are required. */
  readonly claims: Claims | undefined;
  readonly remote: string;
}

/** The parts of an identity; `accounts` undefined: the token does not restrict them. */
export interface Caller {
  readonly name: string;
  readonly mayCall: (method: string) => boolean;
  readonly accounts: ReadonlySet<string> | undefined;
}

const SCOPE_METHOD = 'rpc://';
const SCOPE_ACCOUNT = 'account://';
export const ANY_ACCOUNT = '*';

/** Whether an address is of this machine. */
export function isLoopback(remote: string): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(remote);
}

export function refusal(kind: Refusal['kind'], why: string): Refusal {
  return { kind, code: UNAUTHORIZED_CODE, message: `Unauthorized: ${why}` };
}

export function isRefused(found: Caller | Identity | Refusal): found is Refusal {
  return 'kind' in found;
}

/**
 * The first policy entry that matches completely; without entries, the identity that the caller
 * claims.
 */
export function callerOf(
  shown: Shown,
  entries: readonly CallerEntry[] | undefined,
): Caller | Refusal {
  const { claims } = shown;
  const grants = claims && grantsOf(claims);
  if (!entries) {
    const mayCall = grants ? (method: string) => grants.mayCall(method) : () => true;
    // Without a policy the token itself must list the allowed accounts.
    const accounts = grants ? (grants.accounts ?? new Set<string>()) : undefined;
    return { name: nameOf(shown), mayCall, accounts };
  }
  const entry = entries.find((one) => fits(one, shown));
  if (!entry) return refusal('forbidden', 'this caller is not in the policy');
  const { methods } = entry;
  const mayCall = (method: string): boolean =>
    (methods?.some((pattern) => matchesMethod(pattern, method)) ?? true) &&
    (!grants?.hasMethods || grants.mayCall(method));
  return { name: entry.name, mayCall, accounts: grants?.accounts };
}

function nameOf({ claims, certificate, remote }: Shown): string {
  const subject = claims?.sub ?? claims?.client_id ?? claims?.azp;
  if (typeof subject === 'string' && subject !== '') return subject;
  return certificate ?? (claims ? 'token without a subject' : remote);
}

function fits({ anybody, certificate, token }: CallerEntry, shown: Shown): boolean {
  if (certificate !== undefined && shown.certificate !== certificate) return false;
  if (token && !token.every(([name, values]) => holds(shown.claims?.[name], name, values)))
    return false;
  return anybody || certificate !== undefined || token !== undefined;
}

/** A claim may be a text, a list or, for `scope`, texts separated by blanks. */
function holds(claim: unknown, name: string, values: readonly string[]): boolean {
  const shown = name === 'scope' ? scopesOf(claim) : Array.isArray(claim) ? claim : [claim];
  return shown.some((one) => typeof one === 'string' && values.includes(one));
}

interface Grants {
  readonly hasMethods: boolean;
  readonly accounts: ReadonlySet<string> | undefined;
  mayCall(method: string): boolean;
}

function grantsOf(claims: Claims): Grants {
  const scopes = scopesOf(claims.scope);
  const token = new AccessToken(Number.MAX_SAFE_INTEGER, scopes);
  const accounts = scopes
    .filter((scope) => scope.startsWith(SCOPE_ACCOUNT))
    .map((scope) => scope.slice(SCOPE_ACCOUNT.length))
    .map((text) => (text === ANY_ACCOUNT ? text : address(text)))
    .filter((one) => one !== undefined);
  const named = scopes.some((scope) => scope.startsWith(SCOPE_ACCOUNT));
  return {
    hasMethods: scopes.some((scope) => scope.startsWith(SCOPE_METHOD)),
    accounts: named ? new Set(accounts) : undefined,
    mayCall(method) {
      const split = method.search(/[_.]/);
      if (split < 0) return scopes.includes(SCOPE_METHOD + method);
      return token.mayCall(method.slice(0, split), method.slice(split + 1));
    },
  };
}

function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(/\s+/).filter((each) => each !== '');
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : [];
}
