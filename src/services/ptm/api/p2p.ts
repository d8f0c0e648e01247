/**
 * P2P: requests from other managers, Tessera's or Quorate's (Tessera's tessera-jaxrs/sync-jaxrs).
 */
import { fail } from '../../../core/base/errors.ts';
import { BinaryReader } from '../../../core/payload/payload-binary.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import { type HttpRequest, json, type Route, text } from '../../../io/http/server.ts';
import type { PrivateTransactionManager } from '../manager/manager.ts';
import type { PrivacyGroups } from '../manager/privacy-groups.ts';
import type { Recovery } from '../manager/recovery.ts';
import { BATCH_SIZE_MAX, type Resender } from '../manager/resend.ts';
import { type ComparisonParts, comparedRoutes } from './comparison.ts';
import { charge, charged, type P2pParts, sourceOf } from './p2p-parts.ts';
import { partyInfoRoutes } from './p2p-party-info.ts';
import { pushGroupRoute, resendRoutes } from './p2p-proven.ts';
import { base64 } from './replies.ts';
import { bad, bytesField, type Fields, jsonBody } from './requests.ts';

const BATCH_PAYLOADS_MAX = 1024;
/** Routes for what peers push, and for what they request again. */
export function p2pRoutes(
  manager: PrivateTransactionManager,
  resender: Resender,
  groups: PrivacyGroups,
  compared: ComparisonParts,
  parts: P2pParts,
): Route[] {
  const push = (payload: Uint8Array, source: string) => manager.storePushed(payload, source);
  return [
    ...pushRoutes(push, push, parts),
    ...resendRoutes(resender, parts),
    ...comparedRoutes(compared, parts),
    pushGroupRoute(groups, parts),
    ...partyInfoRoutes(parts),
  ].map((route) => charged(route, parts.refusals));
}

/** Routes during a recovery: payloads from peers are accepted, but no request is served. */
export function recoveryRoutes(recovery: Recovery, parts: P2pParts): Route[] {
  return [
    ...pushRoutes(
      (payload, source) => recovery.push(payload, source),
      // Quorate peers treat a refusal as final: enhanced payloads are set aside instead.
      (payload, source) => recovery.stage([payload], source),
      parts,
    ),
    {
      method: 'POST' as const,
      path: '/pushBatch',
      about: 'Stores payloads for a recovery',
      async handle(request: HttpRequest) {
        await recovery.stage(encodedPayloads(jsonBody(request)), sourceOf(request));
        return text(200, '');
      },
    },
    ...partyInfoRoutes(parts),
  ].map((route) => charged(route, parts.refusals));
}

type Take = (payload: Uint8Array, source: string) => Promise<unknown>;

function pushRoutes(
  one: (payload: Uint8Array, source: string) => Promise<PayloadHash>,
  ofBatch: Take,
  { failure, refusals }: P2pParts,
): Route[] {
  return [
    {
      method: 'POST',
      path: '/push',
      about: 'Stores a payload for a key of this manager',
      handle: async (request) => text(201, base64(await one(request.body, sourceOf(request)))),
    },
    {
      // Our own extension: one field per payload; the answer lists the status that each would have
      // got in a request of its own.
      method: 'POST',
      path: '/push/batch',
      about: 'Stores several payloads',
      async handle(request) {
        const input = new BinaryReader(request.body);
        const payloads = input.fields();
        if (payloads.length > BATCH_PAYLOADS_MAX || input.remaining > 0) {
          throw fail('PTM_REQUEST_INVALID', 'the batch has too many payloads or bytes behind them');
        }
        const source = sourceOf(request);
        const results = await Promise.allSettled(
          payloads.map(async (payload) => ofBatch(payload, source)),
        );
        const statuses = results.map((result, i) => {
          if (result.status === 'fulfilled') return 201;
          charge(refusals, source, payloads[i]!.length, result.reason);
          return failure(result.reason).status;
        });
        return json(200, { statuses });
      },
    },
  ];
}

/** Base64 texts, or lists of signed bytes: Tessera's JSON libraries write either. */
function encodedPayloads({ encodedPayloads: list }: Fields): Uint8Array[] {
  if (!Array.isArray(list) || list.length > BATCH_SIZE_MAX) {
    throw bad(`"encodedPayloads" must be a list of at most ${BATCH_SIZE_MAX} payloads`);
  }
  return list.map((item: unknown) => {
    if (Array.isArray(item) && item.every((byte) => Number.isInteger(byte))) {
      return Uint8Array.from(item as number[]);
    }
    return bytesField({ encodedPayloads: item }, 'encodedPayloads');
  });
}
