/** P2P: what other managers send us, Tessera's or our own (Tessera's tessera-jaxrs/sync-jaxrs). */
import { fail, QuorateError } from '../../../core/base/errors.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { PublicKey } from '../../../core/privacy/payload.ts';
import { BinaryReader } from '../../../core/privacy/payload-binary.ts';
import { encodeLegacy } from '../../../core/privacy/payload-legacy.ts';
import {
  type HttpReply,
  type HttpRequest,
  json,
  type Route,
  text,
} from '../../../io/http/server.ts';
import type { Discovery } from '../manager/discovery.ts';
import type { PrivateTransactionManager } from '../manager/manager.ts';
import type { PartyTable } from '../manager/party-info.ts';
import { VERSION_HEADER } from '../manager/peers.ts';
import type { PrivacyGroups } from '../manager/privacy-groups.ts';
import type { Recovery } from '../manager/recovery.ts';
import { BATCH_SIZE_MAX, type Resender } from '../manager/resend.ts';
import { supportedVersions } from './common.ts';
import { pushGroupRoute } from './groups.ts';
import { base64 } from './replies.ts';
import { bad, bytesField, type Fields, jsonBody, keyField, payloadHash } from './requests.ts';

const BATCH_PAYLOADS_MAX = 1024;

export interface P2pParts {
  readonly discovery: Discovery;
  readonly table: PartyTable;
  readonly versions: readonly string[];
  readonly failure: (error: unknown) => HttpReply;
}

/** What peers push, and what they ask to have again. */
export function p2pRoutes(
  manager: PrivateTransactionManager,
  resender: Resender,
  groups: PrivacyGroups,
  parts: P2pParts,
): Route[] {
  const push = (payload: Uint8Array) => manager.storePushed(payload);
  return [
    ...pushRoutes(push, push, parts),
    ...resendRoutes(resender),
    pushGroupRoute(groups),
    ...partyInfoRoutes(parts),
  ];
}

/** While a recovery runs: what peers send goes through it, and nobody is served. */
export function recoveryRoutes(recovery: Recovery, parts: P2pParts): Route[] {
  return [
    ...pushRoutes(
      (payload) => recovery.push(payload),
      // Our own kind takes a refusal for final: enhanced payloads wait aside instead.
      (payload) => recovery.stage([payload]),
      parts,
    ),
    {
      method: 'POST',
      path: '/pushBatch',
      async handle(request) {
        await recovery.stage(encodedPayloads(jsonBody(request)));
        return text(200, '');
      },
    },
    ...partyInfoRoutes(parts),
  ];
}

function pushRoutes(
  one: (payload: Uint8Array) => Promise<PayloadHash>,
  ofBatch: (payload: Uint8Array) => Promise<unknown>,
  { failure }: P2pParts,
): Route[] {
  return [
    {
      method: 'POST',
      path: '/push',
      handle: async ({ body }) => text(201, base64(await one(body))),
    },
    {
      // Ours: one field a payload; the answer lists the status that each would have had alone.
      method: 'POST',
      path: '/push/batch',
      async handle({ body }) {
        const input = new BinaryReader(body);
        const payloads = input.fields();
        if (payloads.length > BATCH_PAYLOADS_MAX || input.remaining > 0) {
          throw fail('PTM_REQUEST_INVALID', 'the batch has too many payloads or bytes behind them');
        }
        const results = await Promise.allSettled(payloads.map(async (payload) => ofBatch(payload)));
        return json(200, {
          statuses: results.map((result) =>
            result.status === 'fulfilled' ? 201 : failure(result.reason).status,
          ),
        });
      },
    },
  ];
}

function resendRoutes(resender: Resender): Route[] {
  return [
    { method: 'POST', path: '/resend', handle: (request) => resend(resender, request) },
    {
      method: 'POST',
      path: '/resendBatch',
      async handle(request) {
        const fields = jsonBody(request);
        const { batchSize } = fields;
        if (batchSize !== undefined && !Number.isInteger(Number(batchSize))) {
          throw bad('"batchSize" is not a number');
        }
        const total = await resender.batches(requiredKey(fields), Number(batchSize ?? 0));
        return json(200, { total });
      },
    },
  ];
}

async function resend(resender: Resender, request: HttpRequest): Promise<HttpReply> {
  const fields = jsonBody(request);
  const key = requiredKey(fields);
  switch (fields.type) {
    case 'ALL':
      await resender.all(key);
      return text(200, '');
    case 'INDIVIDUAL': {
      const hash = payloadHash(base64(bytesField(fields, 'key')), 'key');
      const body = encodeLegacy(await resender.individual(hash, key));
      return { status: 200, type: 'application/octet-stream', body };
    }
    default:
      throw bad('"type" must be INDIVIDUAL or ALL');
  }
}

function partyInfoRoutes({ discovery, table, versions }: P2pParts): Route[] {
  const versionHeader = { [VERSION_HEADER]: versions.join(',') };
  return [
    {
      method: 'POST',
      path: '/partyinfo',
      async handle(request) {
        const peerVersions = supportedVersions(request.header(VERSION_HEADER));
        const body = await discovery.receive(request.body, peerVersions);
        return { status: 200, type: 'application/octet-stream', body, headers: versionHeader };
      },
    },
    { method: 'GET', path: '/partyinfo', handle: () => json(200, table.describe()) },
    {
      method: 'POST',
      path: '/partyinfo/validate',
      handle({ body }) {
        try {
          return text(200, discovery.answerChallenge(body));
        } catch (error) {
          if (!(error instanceof QuorateError)) throw error;
          return text(400, error.message);
        }
      },
    },
  ];
}

function requiredKey(fields: Fields): PublicKey {
  const key = keyField(fields, 'publicKey');
  if (!key) throw bad('"publicKey" is missing: give base64');
  return key;
}

/** Base64 texts, or lists of signed bytes: JSON binders of Tessera's age write either. */
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
