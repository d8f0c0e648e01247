/**
 * Q2T: a node's requests to its manager, with Tessera's paths and answers (Tessera's
 * tessera-jaxrs/transaction-jaxrs).
 */
import {
  type HttpReply,
  type HttpRequest,
  json,
  type Route,
  text,
} from '../../../io/http/server.ts';
import type { PrivateTransactionManager } from '../manager/manager.ts';
import type { PrivacyGroups } from '../manager/privacy-groups.ts';
import { type SendTerms, STANDARD_TERMS } from '../manager/send-terms.ts';
import { type TraceRequest, UNTRACED } from '../request-traces.ts';
import { batchRoute, type Handler } from './batch.ts';
import {
  acceptedMedia,
  base64,
  envelopeBody,
  isOctets,
  keyList,
  MEDIA,
  type Media,
  postedMedia,
  rawBody,
  receivedBody,
  sentReply,
  sentTextReply,
} from './replies.ts';
import {
  bad,
  bytesField,
  envelopeOf,
  type Fields,
  hashesField,
  jsonBody,
  key,
  keyField,
  keyHeader,
  keysHeader,
  payloadHash,
  sendTerms,
} from './requests.ts';

/** Most payloads in one batch request, and most clear bytes in one answer. */
const BATCH_HASHES_MAX = 1024;
const BATCH_ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/** Payloads read from the store at a time. */
const BATCH_PAGE_HASHES = 64;

const STORE_RAW = 'Stores a payload for this manager alone, and returns its hash';
const SEND_SIGNED = 'Distributes a payload that was stored before';

/** `failure` creates the answer for a request of a batch that failed. */
export function q2tRoutes(
  manager: PrivateTransactionManager,
  groups: PrivacyGroups,
  failure: (error: unknown) => HttpReply,
  trace: TraceRequest = UNTRACED,
): Route[] {
  const handlers = jsonHandlers(manager, groups);
  return [
    ...sendRoutes(manager, handlers),
    ...receiveRoutes(manager),
    ...envelopeRoutes(manager),
    batchRoute(handlers, failure, trace),
  ];
}

/**
 * Requests also allowed in a batch. `/transaction/raw` and `/transaction/participants` are our own:
 * `GET /transaction/{hash}?isRaw=true` and `GET /transaction/{hash}/participants` with the hash in
 * the body.
 */
function jsonHandlers(
  manager: PrivateTransactionManager,
  groups: PrivacyGroups,
): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ['/send', (fields, media) => send(manager, groups, fields, media)],
    ['/sendsignedtx', (fields, media) => sendSigned(manager, groups, fields, media)],
    ['/storeraw', (fields, media) => storeRaw(manager, fields, media)],
    [
      '/transaction/raw',
      async (fields, media) => {
        const hash = payloadHash(base64(bytesField(fields, 'hash')), 'hash');
        const body = rawBody(await manager.receiveRaw(hash), media);
        return { status: 200, type: media, body: JSON.stringify(body) };
      },
    ],
    [
      '/transaction/participants',
      async (fields, media) => {
        const hash = payloadHash(base64(bytesField(fields, 'hash')), 'hash');
        const participants = (await manager.participants(hash)).map(base64);
        return { status: 200, type: media, body: JSON.stringify({ participants }) };
      },
    ],
  ]);
}

function inJson(path: string, about: string, handlers: ReadonlyMap<string, Handler>): Route {
  const handler = handlers.get(path)!;
  return {
    method: 'POST',
    path,
    about,
    handle: (request) => handler(jsonBody(request), postedMedia(request)),
  };
}

/** `/storeraw`: also used by clients that sign transactions themselves. */
export function storeRawRoute(manager: PrivateTransactionManager): Route {
  return {
    method: 'POST',
    path: '/storeraw',
    about: STORE_RAW,
    handle: (request) => storeRaw(manager, jsonBody(request), postedMedia(request)),
  };
}

async function storeRaw(
  manager: PrivateTransactionManager,
  fields: Fields,
  media: Media,
): Promise<HttpReply> {
  const hash = await manager.storeRaw(bytesField(fields, 'payload'), keyField(fields, 'from'));
  return { status: 200, type: media, body: JSON.stringify({ key: base64(hash) }) };
}

function sendRoutes(
  manager: PrivateTransactionManager,
  handlers: ReadonlyMap<string, Handler>,
): Route[] {
  const signed = inJson('/sendsignedtx', SEND_SIGNED, handlers);
  return [
    inJson('/send', 'Stores and distributes a payload', handlers),
    {
      method: 'POST',
      path: '/sendraw',
      about: 'Distributes a payload given as bytes',
      async handle(request) {
        if (request.body.length === 0) throw bad('the body is empty: give the payload');
        const terms = { ...STANDARD_TERMS, to: keysHeader(request, 'c11n-to') };
        return sentTextReply(
          await manager.send(request.body, keyHeader(request, 'c11n-from'), terms),
        );
      },
    },
    {
      ...signed,
      handle: (request) =>
        isOctets(request) ? sendSignedOctets(manager, request) : signed.handle(request),
    },
    inJson('/storeraw', STORE_RAW, handlers),
  ];
}

async function send(
  manager: PrivateTransactionManager,
  groups: PrivacyGroups,
  fields: Fields,
  media: Media,
): Promise<HttpReply> {
  const terms = await withGroup(sendTerms(fields, media === MEDIA.mandatory), fields, groups);
  const from = keyField(fields, 'from');
  return sentReply(await manager.send(bytesField(fields, 'payload'), from, terms), media);
}

/** With a privacy group, its members replace all other recipients. */
async function withGroup(
  terms: SendTerms,
  fields: Fields,
  groups: PrivacyGroups,
): Promise<SendTerms> {
  if (typeof fields.privacyGroupId !== 'string' || fields.privacyGroupId === '') return terms;
  const { id, members } = await groups.retrieve(bytesField(fields, 'privacyGroupId'));
  return { ...terms, to: members, privacyGroupId: id };
}

async function sendSignedOctets(
  manager: PrivateTransactionManager,
  request: HttpRequest,
): Promise<HttpReply> {
  const hash = payloadHash(base64(request.body), 'body');
  const terms = { ...STANDARD_TERMS, to: keysHeader(request, 'c11n-to') };
  return sentTextReply(await manager.sendSigned(hash, terms));
}

async function sendSigned(
  manager: PrivateTransactionManager,
  groups: PrivacyGroups,
  fields: Fields,
  media: Media,
): Promise<HttpReply> {
  const terms = await withGroup(sendTerms(fields, media === MEDIA.mandatory), fields, groups);
  const hash = payloadHash(base64(bytesField(fields, 'hash')), 'hash');
  return sentReply(await manager.sendSigned(hash, terms), media);
}

function receiveRoutes(manager: PrivateTransactionManager): Route[] {
  const hashOf = (request: HttpRequest) => payloadHash(request.params.hash ?? '', 'hash');
  return [
    {
      method: 'GET',
      path: '/transaction/:hash',
      about: 'A payload, decrypted',
      handle: (request) => receive(manager, request),
    },
    {
      method: 'GET',
      path: '/transaction/:hash/isSender',
      about: 'Whether this manager sent the payload',
      handle: async (request) => text(200, String(await manager.isSender(hashOf(request)))),
    },
    {
      method: 'GET',
      path: '/transaction/:hash/participants',
      about: 'The parties of a payload',
      handle: async (request) => text(200, keyList(await manager.participants(hashOf(request)))),
    },
    {
      method: 'GET',
      path: '/transaction/:hash/mandatory',
      about: 'The mandatory parties of a payload',
      handle: async (request) => text(200, keyList(await manager.mandatory(hashOf(request)))),
    },
    {
      method: 'DELETE',
      path: '/transaction/:hash',
      about: 'Deletes a payload',
      async handle(request) {
        await manager.delete(hashOf(request));
        return { status: 204, type: 'text/plain', body: '' };
      },
    },
    {
      method: 'POST',
      path: '/delete',
      about: 'Deletes a payload',
      async handle(request) {
        await manager.delete(payloadHash(base64(bytesField(jsonBody(request), 'key')), 'key'));
        return text(200, 'Delete successful');
      },
    },
    {
      method: 'GET',
      path: '/receive',
      about: 'A payload, decrypted (named in the body)',
      handle: (request) => legacyReceive(manager, request),
    },
    {
      method: 'GET',
      path: '/receiveraw',
      about: 'A payload as bytes',
      async handle(request) {
        const hash = payloadHash(request.header('c11n-key') ?? '', 'c11n-key');
        const { payload } = await manager.receive(hash, keyHeader(request, 'c11n-to'));
        return { status: 200, type: 'application/octet-stream', body: payload };
      },
    },
    {
      method: 'POST',
      path: '/transactions/batch',
      about: 'Several payloads, decrypted',
      handle: (request) => batch(manager, request),
    },
  ];
}

async function receive(
  manager: PrivateTransactionManager,
  request: HttpRequest,
): Promise<HttpReply> {
  const hash = payloadHash(request.params.hash ?? '', 'hash');
  const { to, isRaw } = request.query;
  if (isRaw !== undefined && !/^(true|false)$/i.test(isRaw)) {
    throw bad('"isRaw" must be true or false');
  }
  const media = acceptedMedia(request);
  const body =
    isRaw?.toLowerCase() === 'true'
      ? rawBody(await manager.receiveRaw(hash), media)
      : receivedBody(await manager.receive(hash, to ? key(to, 'to') : undefined), media);
  return { status: 200, type: media, body: JSON.stringify(body) };
}

async function legacyReceive(
  manager: PrivateTransactionManager,
  request: HttpRequest,
): Promise<HttpReply> {
  const fields = jsonBody(request);
  const hash = payloadHash(base64(bytesField(fields, 'key')), 'key');
  const received =
    fields.isRaw === true
      ? await manager.receiveRaw(hash)
      : await manager.receive(hash, keyField(fields, 'to'));
  return json(200, receivedBody(received, MEDIA.json));
}

/**
 * Our own extension: many payloads in one request. `{"hashes":[b64…]}` -> `{"answers":[receive
 * object | null | {"error"}]}`, in order; null for 404. The list is shorter than requested when the
 * answer would be too large: request the rest again.
 */
async function batch(manager: PrivateTransactionManager, request: HttpRequest): Promise<HttpReply> {
  const hashes = hashesField(jsonBody(request), 'hashes');
  if (hashes.length > BATCH_HASHES_MAX) throw bad(`more than ${BATCH_HASHES_MAX} hashes`);
  const answers: unknown[] = [];
  let bytes = 0;
  while (answers.length < hashes.length && bytes <= BATCH_ANSWER_BYTES_MAX) {
    const page = hashes.slice(answers.length, answers.length + BATCH_PAGE_HASHES);
    for (const received of await manager.receiveAll(page)) {
      if (bytes > BATCH_ANSWER_BYTES_MAX) break;
      if (received instanceof Error) answers.push({ error: received.message });
      else if (!received) answers.push(null);
      else {
        bytes += received.payload.length;
        answers.push(receivedBody(received, MEDIA.tenancy));
      }
    }
  }
  return json(200, { answers });
}

function envelopeRoutes(manager: PrivateTransactionManager): Route[] {
  return [
    {
      method: 'POST',
      path: '/encodedpayload/create',
      about: 'Encrypts a payload without storing it',
      async handle(request) {
        const media = postedMedia(request);
        const fields = jsonBody(request);
        const payload = await manager.createEnvelope(
          bytesField(fields, 'payload'),
          keyField(fields, 'from'),
          sendTerms(fields, true),
        );
        return { status: 200, type: media, body: JSON.stringify(envelopeBody(payload)) };
      },
    },
    {
      method: 'POST',
      path: '/encodedpayload/decrypt',
      about: 'Decrypts a given payload',
      handle: (request) => openEnvelope(manager, request),
    },
  ];
}

function openEnvelope(manager: PrivateTransactionManager, request: HttpRequest): HttpReply {
  const media = postedMedia(request);
  const received = manager.openEnvelope(envelopeOf(jsonBody(request)));
  return { status: 200, type: media, body: JSON.stringify(receivedBody(received, media)) };
}
