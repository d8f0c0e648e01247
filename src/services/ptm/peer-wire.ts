/**
 * Talks to other managers over HTTP: Tessera's paths, and a batched push between Quorate managers
 * (Tessera RestP2pClient).
 */

import { fromBase64 } from '../../core/base/base64.ts';
import { EMPTY_BYTES } from '../../core/base/bytes.ts';
import { fail, hasCode } from '../../core/base/errors.ts';
import {
  PAYLOAD_HASH_BYTES,
  PUBLIC_KEY_BYTES,
  type PublicKey,
} from '../../core/payload/payload.ts';
import { BinaryWriter } from '../../core/payload/payload-binary.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import { digestsIn, statesIn } from '../../core/privacy/private-roots.ts';
import type { DialGuard } from '../../io/http/dial-guard.ts';
import type { HttpAnswer } from '../../io/http/http-call.ts';
import type { HttpClient } from '../../io/http/http-client.ts';
import {
  currentTrace,
  inSpan,
  type TraceContext,
  type Tracer,
  traceHeaders,
} from '../../io/telemetry/trace-context.ts';
import { supportedVersions } from './api/common.ts';
import { base64 } from './api/replies.ts';
import { normalizeUrl, type PartyInfo } from './manager/party-info.ts';
import {
  CHALLENGE_HEADER,
  KEY_HEADER,
  type PeerWire,
  PROOF_HEADER,
  type PushOrigin,
  type PushOutcome,
  type ResendOutcome,
  VERSION_HEADER,
} from './manager/peers.ts';
import type { ProvenRequest } from './manager/proofs.ts';

const OCTETS = 'application/octet-stream';
const JSON_TYPE = 'application/json';
/** Most peers and keys in one party info. */
const NAMED_MAX = 4096;
/** Statuses of peers that do not support a request. */
const UNKNOWN_STATUSES: readonly number[] = [404, 405];

/** Client for each kind of request, with its time limits. */
export interface PeerClients {
  readonly quick: HttpClient;
  /**
   * For requests that a peer answers only after sending everything: no limit on the whole
   * request.
   */
  readonly patient: HttpClient;
  /** For unconfirmed managers: short timeouts, small answers. */
  readonly wary: HttpClient;
}

export interface PeerWireOptions {
  readonly clients: PeerClients;
  /** Announced to peers. */
  readonly versions: readonly string[];
  readonly guard: DialGuard;
  /** undefined: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Answers the challenge of the manager at `url` for one of our keys; undefined: not answered. */
  readonly prove: (
    url: string,
    challenge: string,
    key: PublicKey,
    request: ProvenRequest,
  ) => string | undefined;
}

interface Ask {
  readonly type?: string;
  readonly client?: HttpClient;
  readonly headers?: readonly (readonly [string, string])[];
}

export function httpPeerWire(options: PeerWireOptions): PeerWire {
  const { clients, versions, guard, prove, tracer } = options;
  const checkUrl = (url: string): void => {
    if (guard.allowsHost(new URL(url).hostname)) return;
    throw fail(
      'PTM_URL_REFUSED',
      `${url} is inside this network, where only configured peers are contacted`,
    );
  };
  const reach = async (
    method: 'GET' | 'POST',
    url: string,
    path: string,
    body?: Uint8Array,
    { type = OCTETS, client = clients.quick, headers = [] }: Ask = {},
  ): Promise<HttpAnswer> => {
    checkUrl(url);
    try {
      return await client.request({
        method,
        url: new URL(path, url),
        headers: [
          ...(body
            ? ([
                ['content-type', type],
                ['content-length', String(body.length)],
              ] as const)
            : []),
          [VERSION_HEADER, versions.join(',')],
          ...headers,
        ],
        body,
      });
    } catch (cause) {
      if (!hasCode(cause, 'HTTP_FAILED')) throw cause;
      throw fail('PTM_PEER_OFFLINE', `Connection error while communicating with ${url}`, { cause });
    }
  };
  const post = (url: string, path: string, body: Uint8Array, ask?: Ask) =>
    reach('POST', url, path, body, ask);
  const pushed = (url: string, path: string, body: Uint8Array, origins: readonly PushOrigin[]) =>
    inPushSpan(tracer, origins, (headers) => post(url, path, body, { headers }));
  /** Retried with a proof of the key if the peer asks for one. */
  const proven = async (url: string, path: string, body: Uint8Array, key: PublicKey, ask: Ask) => {
    const headers = [[KEY_HEADER, base64(key)] as const];
    const first = await post(url, path, body, { ...ask, headers });
    const challenge = first.headers[CHALLENGE_HEADER];
    if (first.status !== 401 || typeof challenge !== 'string') return first;
    const proof = prove(url, challenge, key, { path: `/${path}`, body });
    if (proof === undefined) return first;
    return post(url, path, body, { ...ask, headers: [...headers, [PROOF_HEADER, proof]] });
  };
  const provenJson = (url: string, path: string, value: object, key: PublicKey) => {
    const ask = { type: JSON_TYPE, client: clients.patient };
    return proven(url, path, Buffer.from(JSON.stringify(value)), key, ask);
  };
  return {
    checkUrl,
    ...(tracer ? { origin: currentTrace } : {}),
    push: async (url, payload, origin) =>
      outcome((await pushed(url, 'push', payload, origin ? [origin] : [])).status),
    async pushBatch(url, payloads, origins = []) {
      const body = new BinaryWriter().fields(payloads).finish();
      const answer = await pushed(url, 'push/batch', body, origins);
      if (answer.status !== 200) return payloads.map(() => outcome(answer.status));
      return statuses(answer).map(outcome);
    },
    async pushStaged(url, payloads) {
      const body = Buffer.from(JSON.stringify({ encodedPayloads: payloads.map(base64) }));
      const ask = { type: JSON_TYPE, client: clients.patient };
      const { status } = await post(url, 'pushBatch', body, ask);
      return status === 200 || status === 201;
    },
    async resendBatch(url, key, batchSize) {
      const body = { publicKey: base64(key), batchSize };
      return resent(await provenJson(url, 'resendBatch', body, key));
    },
    async resendAll(url, key) {
      return resent(await provenJson(url, 'resend', { type: 'ALL', publicKey: base64(key) }, key));
    },
    async resendOne(url, key, hash) {
      const body = { type: 'INDIVIDUAL', publicKey: base64(key), key: base64(hash) };
      const answer = await provenJson(url, 'resend', body, key);
      return answer.status === 200 ? answer.body : undefined;
    },
    ...comparing(provenJson),
    async pushGroup(url, group, from) {
      return (await proven(url, 'pushPrivacyGroup', group, from, {})).status === 200;
    },
    async describe(url) {
      const answer = await reach('GET', url, 'partyinfo', undefined, { client: clients.wary });
      const info = answer.status === 200 ? described(answer.body) : undefined;
      return info && { info, versions: versionsOf(answer) };
    },
    async partyInfo(url, info) {
      const answer = await post(url, 'partyinfo', info);
      // A manager that does not accept us still reports its versions.
      const body = answer.status === 200 ? answer.body : EMPTY_BYTES;
      return { body, versions: versionsOf(answer) };
    },
    async validate(url, challenge) {
      const ask = { client: clients.wary };
      const answer = await post(url, 'partyinfo/validate', challenge, ask);
      return answer.status === 200 ? Buffer.from(answer.body).toString('latin1') : undefined;
    },
  };
}

/** In a span below the first request whose payload is pushed, linked to the others. */
function inPushSpan<T>(
  tracer: Tracer | undefined,
  origins: readonly PushOrigin[],
  work: (headers: ReturnType<typeof traceHeaders>) => T,
): T {
  const [parent, ...links] = new Set(origins as readonly TraceContext[]);
  if (!tracer || !parent?.isSampled) return work([]);
  const span = tracer.start('push payload', { parent, kind: 'client', links });
  return inSpan(span, () => work(traceHeaders()));
}

type ProvenJson = (url: string, path: string, value: object, key: PublicKey) => Promise<HttpAnswer>;

function comparing(ask: ProvenJson): Pick<PeerWire, 'shared' | 'roots' | 'digests'> {
  return {
    async shared(url, key, prefix) {
      const answer = await ask(url, 'shared', { publicKey: base64(key), prefix }, key);
      return answer.status === 200 ? sharedIn(answer.body) : undefined;
    },
    async roots(url, key) {
      const answer = await ask(url, 'roots', { publicKey: base64(key) }, key);
      return answer.status === 200 ? statesIn(fieldsIn(answer.body)) : undefined;
    },
    async digests(url, key) {
      const answer = await ask(url, 'digests', { publicKey: base64(key) }, key);
      return answer.status === 200 ? digestsIn(fieldsIn(answer.body).digests) : undefined;
    },
  };
}

function versionsOf({ headers }: HttpAnswer): readonly string[] | undefined {
  const header = headers[VERSION_HEADER.toLowerCase()];
  const told = supportedVersions(Array.isArray(header) ? header.join(',') : header);
  return told.length > 0 ? told : undefined;
}

/** `GET /partyinfo`. Undefined for an invalid answer: it may contain anything. */
function described(body: Uint8Array): PartyInfo | undefined {
  try {
    const { url, peers, keys } = JSON.parse(Buffer.from(body).toString('utf8')) as {
      url: string;
      peers: { url: string }[];
      keys: { key: string; url: string }[];
    };
    return {
      url: normalizeUrl(url),
      parties: peers.slice(0, NAMED_MAX).map((peer) => normalizeUrl(peer.url)),
      keys: keys
        .slice(0, NAMED_MAX)
        .map((one) => ({ key: fromBase64(one.key), url: normalizeUrl(one.url) }))
        .filter(({ key }) => key.length === PUBLIC_KEY_BYTES),
    };
  } catch {
    return undefined;
  }
}

function resent({ status, body }: HttpAnswer): ResendOutcome {
  if (UNKNOWN_STATUSES.includes(status)) return { kind: 'unknown' };
  if (status !== 200 && status !== 201) return { kind: 'refused', status };
  return { kind: 'resent', total: totalOf(body) };
}

function totalOf(body: Uint8Array): number | undefined {
  try {
    const { total } = JSON.parse(Buffer.from(body).toString('utf8')) as { total?: unknown };
    return typeof total === 'number' ? total : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for an invalid answer. */
function sharedIn(body: Uint8Array): PayloadHash[] | 'tooMany' | undefined {
  const { hashes } = fieldsIn(body);
  if (hashes === 'tooMany') return hashes;
  if (!Array.isArray(hashes)) return undefined;
  const shared = hashes.map((hash) => new Uint8Array(Buffer.from(String(hash), 'base64')));
  return shared.every((hash) => hash.length === PAYLOAD_HASH_BYTES) ? shared : undefined;
}

function fieldsIn(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function outcome(status: number): PushOutcome {
  return status === 200 || status === 201 ? { kind: 'stored' } : { kind: 'refused', status };
}

/** After an invalid answer it is unknown what the peer stored: status 500 causes a retry. */
function statuses(answer: HttpAnswer): number[] {
  try {
    const value = JSON.parse(Buffer.from(answer.body).toString('utf8')) as { statuses?: unknown };
    if (!Array.isArray(value.statuses)) return [];
    return value.statuses.map((status) => (typeof status === 'number' ? status : 500));
  } catch {
    return [];
  }
}
