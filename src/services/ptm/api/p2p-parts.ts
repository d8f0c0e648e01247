/** What the routes of P2P share: who asks, what they may without a proof, and what a refused request costs them. */
import { QuorateError } from '../../../core/base/errors.ts';
import { addressBlock } from '../../../io/http/address-block.ts';
import type { HttpReply, HttpRequest, Route } from '../../../io/http/server.ts';
import type { Discovery } from '../manager/discovery.ts';
import type { KeyChallenge } from '../manager/key-challenge.ts';
import type { PartyTable } from '../manager/party-table.ts';
import type { Proofs } from '../manager/proofs.ts';
import type { SourceBudget } from '../manager/source-budget.ts';

/** Of bodies that hold no payloads. */
export const QUESTION_BYTES_MAX: number = 64 * 1024;
/** What a request costs beside its body. */
const REQUEST_BYTES = 4096;
/** Errors of a request that was not worth its bytes: of those a source has a budget. */
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
 * What peers may do that cannot prove a key, as those of Tessera cannot over plain HTTP: nothing but
 * push; have all that is theirs sent to the manager that proved the key; or, as from Tessera, have
 * single payloads and deletions of groups by their word.
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

/** A source pays for what is refused. */
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

/** Does nothing for an error that is not a refusal of a peer's request. */
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
