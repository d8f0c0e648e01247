/**
 * Shared by the P2P routes: who the caller is, what is allowed without a proof, and what a refused
 * request costs.
 */
import { QuorateError } from '../../../core/base/errors.ts';
import { addressBlock } from '../../../io/http/address-block.ts';
import type { HttpReply, HttpRequest, Route } from '../../../io/http/server.ts';
import type { Discovery } from '../manager/discovery.ts';
import type { KeyChallenge } from '../manager/key-challenge.ts';
import type { PartyTable } from '../manager/party-table.ts';
import type { Proofs } from '../manager/proofs.ts';
import type { SourceBudget } from '../manager/source-budget.ts';

/** Limit for bodies without payloads. */
export const QUESTION_BYTES_MAX: number = 64 * 1024;
/** Cost of a request in addition to its body. */
const REQUEST_BYTES = 4096;
/** Errors of useless requests: each source has a budget of those. */
const REFUSALS: ReadonlySet<string> = new Set([
  'PAYLOAD_INVALID',
  'PTM_DECRYPT_FAILED',
  'PTM_KEY_INVALID',
  'PTM_PEER_UNKNOWN',
  'PTM_PEER_UNPROVEN',
  'PTM_PRIVACY_VIOLATION',
  'PTM_REQUEST_INVALID',
  'PTM_UNPROVEN',
  'PTM_URL_INVALID',
  'PTM_URL_REFUSED',
]);

/**
 * What a peer may do without proving a key (Tessera's cannot prove one over plain HTTP). `refuse`:
 * only push. `deliver`: also have everything of a key sent to the manager that proved it. `answer`:
 * as with Tessera, also get single payloads and delete groups.
 */
export const UNPROVEN_PEERS = ['refuse', 'deliver', 'answer'] as const;
export type UnprovenPeers = (typeof UNPROVEN_PEERS)[number];

export interface P2pParts {
  readonly discovery: Discovery;
  readonly challenge: KeyChallenge;
  readonly table: PartyTable;
  readonly versions: readonly string[];
  readonly proofs: Proofs;
  readonly unprovenPeers: UnprovenPeers;
  /** Bytes of refused requests. */
  readonly refusals: SourceBudget;
  readonly failure: (error: unknown) => HttpReply;
}

/** Charges refused requests to the budget of their source. */
export function charged(route: Route, refusals: SourceBudget): Route {
  return {
    ...route,
    async handle(request) {
      try {
        return await route.handle(request);
      } catch (error) {
        charge(refusals, sourceOf(request), request.body.length, error);
        throw error;
      }
    },
  };
}

/** Charges one refusal; ignores errors that are not refusals of a peer's request. */
export function charge(
  refusals: SourceBudget,
  source: string,
  bytes: number,
  error: unknown,
): void {
  if (!(error instanceof QuorateError && REFUSALS.has(error.code))) return;
  refusals.charge(source, bytes + REQUEST_BYTES);
}

export function sourceOf({ remote }: HttpRequest): string {
  return addressBlock(remote);
}
