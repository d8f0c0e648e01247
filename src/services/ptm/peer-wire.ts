/**
 * Speaks to other managers over HTTP: Tessera's paths, and one batched push between our own
 * (Tessera RestP2pClient).
 */
import { fail, hasCode } from '../../core/base/errors.ts';
import { BinaryWriter } from '../../core/privacy/payload-binary.ts';
import type { HttpAnswer, HttpClient } from '../../io/host/http-client.ts';
import { supportedVersions } from './api/common.ts';
import { base64 } from './api/replies.ts';
import {
  type PeerWire,
  type PushOutcome,
  type ResendOutcome,
  VERSION_HEADER,
} from './manager/peers.ts';

const OCTETS = 'application/octet-stream';
const JSON_TYPE = 'application/json';
/** How peers answer that do not know a request. */
const UNKNOWN_STATUSES: readonly number[] = [404, 405];

/** `patient` carries what a peer answers only when it has sent everything: no limit on the whole request. */
export interface PeerClients {
  readonly quick: HttpClient;
  readonly patient: HttpClient;
}

export function httpPeerWire(clients: PeerClients, versions: readonly string[]): PeerWire {
  const post = async (
    url: string,
    path: string,
    body: Uint8Array,
    type = OCTETS,
    client = clients.quick,
  ): Promise<HttpAnswer> => {
    try {
      return await client.request({
        method: 'POST',
        url: new URL(path, url),
        headers: [
          ['content-type', type],
          ['content-length', String(body.length)],
          [VERSION_HEADER, versions.join(',')],
        ],
        body,
      });
    } catch (cause) {
      if (!hasCode(cause, 'HTTP_FAILED')) throw cause;
      throw fail('PTM_PEER_OFFLINE', `Connection error while communicating with ${url}`, { cause });
    }
  };
  const postJson = (url: string, path: string, value: unknown): Promise<HttpAnswer> =>
    post(url, path, Buffer.from(JSON.stringify(value)), JSON_TYPE, clients.patient);
  return {
    push: async (url, payload) => outcome((await post(url, 'push', payload)).status),
    async pushBatch(url, payloads) {
      const body = new BinaryWriter().fields(payloads).finish();
      const answer = await post(url, 'push/batch', body);
      if (answer.status !== 200) return payloads.map(() => outcome(answer.status));
      return statuses(answer).map(outcome);
    },
    async pushStaged(url, payloads) {
      const { status } = await postJson(url, 'pushBatch', {
        encodedPayloads: payloads.map(base64),
      });
      return status === 200 || status === 201;
    },
    async resendBatch(url, key, batchSize) {
      const body = { publicKey: base64(key), batchSize };
      return resent(await postJson(url, 'resendBatch', body));
    },
    async resendAll(url, key) {
      return resent(await postJson(url, 'resend', { type: 'ALL', publicKey: base64(key) }));
    },
    pushGroup: async (url, group) => (await post(url, 'pushPrivacyGroup', group)).status === 200,
    async partyInfo(url, info) {
      const answer = await post(url, 'partyinfo', info);
      if (answer.status !== 200) {
        throw fail('PTM_PEER_OFFLINE', `${url} answers party info with status ${answer.status}`);
      }
      const header = answer.headers[VERSION_HEADER.toLowerCase()];
      const told = supportedVersions(Array.isArray(header) ? header.join(',') : header);
      return { body: answer.body, versions: told.length > 0 ? told : undefined };
    },
    async validate(url, challenge) {
      const answer = await post(url, 'partyinfo/validate', challenge);
      return answer.status === 200 ? Buffer.from(answer.body).toString('latin1') : undefined;
    },
  };
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

function outcome(status: number): PushOutcome {
  return status === 200 || status === 201 ? { kind: 'stored' } : { kind: 'refused', status };
}

/** A peer that answers nonsense has stored nothing for certain: refused with a status that is tried again. */
function statuses(answer: HttpAnswer): number[] {
  try {
    const value = JSON.parse(Buffer.from(answer.body).toString('utf8')) as { statuses?: unknown };
    if (!Array.isArray(value.statuses)) return [];
    return value.statuses.map((status) => (typeof status === 'number' ? status : 500));
  } catch {
    return [];
  }
}
