/**
 * ADMIN: the peers of a running manager, as in Tessera; peers added here are forgotten at a
 * restart. Our own extension: the condition of a payload, from which a node learns only whether it
 * is a party.
 */
import { fail, hasCode } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import type { EncodedPayload } from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { DialGuard } from '../../../io/http/dial-guard.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import type { Enclave } from '../manager/enclave.ts';
import { Inspection } from '../manager/inspection.ts';
import type { LateArrivals } from '../manager/late-arrivals.ts';
import { Mender } from '../manager/mender.ts';
import type { PartyTable } from '../manager/party-table.ts';
import type { PeerWire } from '../manager/peers.ts';
import type { PayloadStore } from '../manager/store.ts';
import { base64 } from './replies.ts';
import { bad, jsonBody, payloadHash } from './requests.ts';

export interface AdminParts {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly guard: DialGuard;
  readonly late: LateArrivals;
  readonly say: Log;
}

export function adminRoutes(parts: AdminParts): Route[] {
  return [...peerRoutes(parts), ...payloadRoutes(parts)];
}

function peerRoutes({ table, guard }: AdminParts): Route[] {
  const add = (request: HttpRequest): HttpReply => {
    const { url } = jsonBody(request);
    if (typeof url !== 'string') throw bad('"url" is missing');
    const index = table.addPeer(url);
    guard.exempt(new URL(url).hostname);
    const headers = { location: `config/peers/${index}` };
    return { ...json(201, { url: table.peers()[index] }), headers };
  };
  return [
    {
      method: 'GET',
      path: '/config/peers',
      about: 'The configured peers',
      handle: () =>
        json(
          200,
          table.peers().map((url) => ({ url })),
        ),
    },
    {
      method: 'GET',
      path: '/config/peers/:index',
      about: 'One of the configured peers',
      handle(request) {
        const index = request.params.index ?? '';
        const url = /^\d{1,6}$/.test(index) ? table.peers()[Number(index)] : undefined;
        if (url === undefined) throw fail('PTM_NOT_FOUND', `No peer found at index ${index}`);
        return json(200, { url });
      },
    },
    {
      method: 'PUT',
      path: '/config/peers',
      about: 'Adds a peer until the next restart',
      handle: add,
    },
    {
      method: 'POST',
      path: '/config/peers',
      about: 'Adds a peer until the next restart',
      handle: add,
    },
  ];
}

/** `GET /payloads/{hash}`, and `POST /payloads/{hash}/fetch`, which requests it from the peers. */
function payloadRoutes(parts: AdminParts): Route[] {
  const inspection = new Inspection(parts.enclave);
  const mender = new Mender(parts);
  const hashOf = (request: HttpRequest) => payloadHash(request.params.hash ?? '', 'hash');
  const tell = async (hash: PayloadHash) => {
    const held = await heldIn(parts.store, hash);
    if (held === undefined) return { hash: base64(hash), condition: 'notHeld' };
    const payload = held === 'damaged' ? undefined : held;
    const condition = inspection.conditionOf(hash, payload);
    return { hash: base64(hash), condition, ...(payload ? partiesOf(payload, parts.enclave) : {}) };
  };
  return [
    {
      method: 'GET',
      path: '/payloads/:hash',
      about: 'The condition of a payload, without its contents',
      handle: async (request) => json(200, await tell(hashOf(request))),
    },
    {
      method: 'POST',
      path: '/payloads/:hash/fetch',
      about: 'Requests a payload from the peers',
      async handle(request) {
        const hash = hashOf(request);
        const held = await heldIn(parts.store, hash);
        const payload = held === 'damaged' ? undefined : held;
        // A payload that opens is not requested: nothing would change.
        const isWhole = payload !== undefined && inspection.conditionOf(hash, payload) === 'whole';
        const givenBy = isWhole ? [] : await mender.fetch(hash, payload);
        if (givenBy.length > 0) parts.late.fetched();
        return json(200, { ...(await tell(hash)), givenBy });
      },
    },
  ];
}

async function heldIn(
  store: PayloadStore,
  hash: PayloadHash,
): Promise<EncodedPayload | 'damaged' | undefined> {
  try {
    return await store.get(hash);
  } catch (error) {
    if (!hasCode(error, 'STORAGE_DAMAGED')) throw error;
    return 'damaged';
  }
}

function partiesOf(payload: EncodedPayload, enclave: Enclave) {
  return {
    sender: base64(payload.senderKey),
    parties: payload.recipientKeys.map(base64),
    ours: enclave.managedParties(payload).map(base64),
    privacyFlag: payload.flag,
  };
}
