/**
 * P2P: requests only for the holder of a key: resends of payloads, and changes of privacy groups
 * (Tessera TransactionResource).
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';
import { encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import {
  type HttpReply,
  type HttpRequest,
  json,
  type Route,
  text,
} from '../../../io/http/server.ts';
import {
  BATCH_VERSION,
  CHALLENGE_HEADER,
  KEY_HEADER,
  PROOF_HEADER,
  VERSION_HEADER,
} from '../manager/peers.ts';
import type { PrivacyGroups } from '../manager/privacy-groups.ts';
import { type Resender, unproven } from '../manager/resend.ts';
import { supportedVersions } from './common.ts';
import { charge, type P2pParts, QUESTION_BYTES_MAX, sourceOf } from './p2p-parts.ts';
import { base64 } from './replies.ts';
import {
  bad,
  bytesField,
  type Fields,
  jsonBody,
  keyField,
  keyHeader,
  payloadHash,
} from './requests.ts';

const GROUP_BYTES_MAX = 256 * 1024;

/** A request by a peer that claims to hold the key. */
export interface Asked {
  readonly key: PublicKey;
  readonly path: string;
  readonly request: HttpRequest;
}

export function resendRoutes(resender: Resender, parts: P2pParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/resend',
      about: 'Returns payloads to the peer that proves its key',
      bodyBytesMax: QUESTION_BYTES_MAX,
      handle: (request) => resend(resender, request, parts),
    },
    {
      method: 'POST',
      path: '/resendBatch',
      about: 'Sends payloads in batches to a peer that recovers',
      bodyBytesMax: QUESTION_BYTES_MAX,
      handle(request) {
        const fields = jsonBody(request);
        const { batchSize } = fields;
        if (batchSize !== undefined && !Number.isInteger(Number(batchSize))) {
          throw bad('"batchSize" is not a number');
        }
        const key = requiredKey(fields);
        const asked = { key, path: '/resendBatch', request };
        return challenged(asked, parts, async () => {
          const isProven = provenDelivery(asked, parts);
          return json(200, {
            total: await resender.batches(key, Number(batchSize ?? 0), isProven),
          });
        });
      },
    },
  ];
}

function resend(
  resender: Resender,
  request: HttpRequest,
  parts: P2pParts,
): HttpReply | Promise<HttpReply> {
  const fields = jsonBody(request);
  const key = requiredKey(fields);
  const asked = { key, path: '/resend', request };
  switch (fields.type) {
    case 'ALL':
      return challenged(asked, parts, async () => {
        await resender.all(key, provenDelivery(asked, parts));
        return text(200, '');
      });
    case 'INDIVIDUAL': {
      const hash = payloadHash(base64(bytesField(fields, 'key')), 'key');
      return challenged(asked, parts, async () => {
        const isProven = proves(asked, parts);
        if (!isProven && parts.unprovenPeers !== 'answer') throw unproven();
        const versions = supportedVersions(request.header(VERSION_HEADER));
        const withFlags = isProven && versions.includes(BATCH_VERSION);
        const body = encodeLegacy(await resender.individual(hash, key, withFlags));
        return { status: 200, type: 'application/octet-stream', body };
      });
    }
    default:
      throw bad('"type" must be INDIVIDUAL or ALL');
  }
}

/** Whether the caller has proven the key. Throws PTM_UNPROVEN if it has not, but must. */
function provenDelivery(asked: Asked, parts: P2pParts): boolean {
  const isProven = proves(asked, parts);
  if (!isProven && parts.unprovenPeers === 'refuse') throw unproven();
  return isProven;
}

/**
 * Whether the key is proven: by a certificate for the host at which it was proven before, or by the
 * answer to a challenge.
 */
export function proves({ key, path, request }: Asked, { table, proofs }: P2pParts): boolean {
  if (table.knows(key) && request.isOfHost?.(new URL(table.locate(key)).hostname)) return true;
  const proof = request.header(PROOF_HEADER);
  return proof !== undefined && proofs.accepts(key, { path, body: request.body }, proof);
}

/**
 * Tells a peer without a proof how to prove the key. The text reveals nothing about what is stored
 * here.
 */
export async function challenged(
  { key, request }: Asked,
  { proofs, refusals }: P2pParts,
  serve: () => Promise<HttpReply>,
): Promise<HttpReply> {
  try {
    return await serve();
  } catch (error) {
    if (!hasCode(error, 'PTM_UNPROVEN')) throw error;
    charge(refusals, sourceOf(request), request.body.length, error);
    return { ...text(401, error.message), headers: { [CHALLENGE_HEADER]: proofs.challenge(key) } };
  }
}

export function pushGroupRoute(groups: PrivacyGroups, parts: P2pParts): Route {
  return {
    method: 'POST',
    path: '/pushPrivacyGroup',
    about: 'Stores a privacy group that a peer made',
    bodyBytesMax: GROUP_BYTES_MAX,
    async handle(request) {
      const key = keyHeader(request, KEY_HEADER);
      const asked = key && { key, path: '/pushPrivacyGroup', request };
      const receive = async () => {
        const isProven = asked !== undefined && proves(asked, parts);
        const prover = parts.unprovenPeers === 'answer' ? 'any' : isProven ? key : undefined;
        await groups.receive(request.body, sourceOf(request), prover);
        return text(200, '');
      };
      return asked ? challenged(asked, parts, receive) : receive();
    },
  };
}

export function requiredKey(fields: Fields): PublicKey {
  const key = keyField(fields, 'publicKey');
  if (!key) throw bad('"publicKey" is missing: give base64');
  return key;
}
