/**
 * Requests to the server that issued the tokens: its key set, and introspection of one token (RFC
 * 7517, RFC 7662).
 */

import { fail } from '../../core/base/errors.ts';
import { parseJson } from '../../core/base/json.ts';
import { readText } from '../host/files.ts';
import { readAuthorities, readKeyPair } from '../host/key-pair.ts';
import { reasonOf } from '../host/reason.ts';
import { HttpClient } from '../http/http-client.ts';
import type {
  ClientProof,
  IntrospectionServer,
  KeySource,
  ServerTrust,
} from './security-config.ts';

const ANSWER_BYTES_MAX = 1024 * 1024;
const DIAL_MS = 5_000;
const ANSWER_MS = 10_000;
/** Maximum number of introspections in progress: any client can present any number of tokens. */
const QUESTIONS_MAX = 256;

export type Claims = Readonly<Record<string, unknown>>;

/** A value that each call reads again. `read` rejects with AUTH_SERVER_FAILED. */
export interface Source<T> {
  read(): Promise<T>;
  close(): void;
}

/** The key set at a URL or in a file. Throws FILE_UNREADABLE or AUTH_SERVER_FAILED. */
export function keySet({ place, trust }: KeySource): Source<Claims> {
  if (!/^https?:/.test(place)) {
    const path = place.replace(/^file:\/\//, '');
    // Read once now, so that a faulty file is reported when the server starts, not at the first
    // request.
    readKeySet(path);
    return {
      read: async () => readKeySet(path),
      close: () => {},
    };
  }
  const client = clientFor(trust, { kind: 'none' });
  return {
    read: async () => {
      const url = new URL(place);
      const headers = [['Accept', 'application/json']] as const;
      const { status, body } = await client.request({ method: 'GET', url, headers });
      if (status !== 200) throw failed(`key set ${place}: status ${status}`);
      return parse(Buffer.from(body).toString('utf8'), `key set ${place}`);
    },
    close: () => client.close(),
  };
}

/** Asks an introspection endpoint about tokens. */
export class Introspection {
  private readonly server: IntrospectionServer;
  private readonly client: HttpClient;
  private questions = 0;

  constructor(server: IntrospectionServer) {
    this.server = server;
    this.client = clientFor(server.trust, server.proof);
  }

  /**
   * The server's answer about the token; `active` says whether it is valid. Rejects with
   * AUTH_SERVER_FAILED.
   */
  async ask(token: string): Promise<Claims> {
    if (this.questions >= QUESTIONS_MAX)
      throw failed(`introspection: ${QUESTIONS_MAX} introspections are in progress`);
    this.questions++;
    try {
      return await this.askNow(token);
    } finally {
      this.questions--;
    }
  }

  private async askNow(token: string): Promise<Claims> {
    const { endpoint, proof } = this.server;
    const form = new URLSearchParams({ token });
    const headers: [string, string][] = [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Accept', 'application/json'],
    ];
    if (proof.kind === 'form') {
      form.set('client_id', proof.id);
      form.set('client_secret', proof.secret);
    }
    if (proof.kind === 'basic') headers.push(['Authorization', basic(proof.id, proof.secret)]);
    const body = Buffer.from(form.toString());
    headers.push(['Content-Length', String(body.length)]);
    const url = new URL(endpoint);
    const answer = await this.client.request({ method: 'POST', url, headers, body });
    if (answer.status !== 200) throw failed(`introspection: status ${answer.status}`);
    return parse(Buffer.from(answer.body).toString('utf8'), 'introspection');
  }

  close(): void {
    this.client.close();
  }
}

/** HTTP Basic as in RFC 6749 §2.3.1: both parts are form-encoded first. */
function basic(id: string, secret: string): string {
  const encode = (text: string) => encodeURIComponent(text).replace(/%20/g, '+');
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}

function clientFor(trust: ServerTrust, proof: ClientProof): HttpClient {
  const own = proof.kind === 'certificate' ? readKeyPair(proof) : {};
  const ca = trust.certificates.map(readAuthorities);
  return new HttpClient({
    dialTimeoutMs: DIAL_MS,
    timeoutMs: ANSWER_MS,
    idleTimeoutMs: ANSWER_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
    tls: { ...own, ...(ca.length > 0 ? { ca } : {}), rejectUnauthorized: !trust.isUnchecked },
  });
}

/** Throws FILE_UNREADABLE or AUTH_SERVER_FAILED. */
function readKeySet(path: string): Claims {
  const set = parse(readText(path), `key set ${path}`);
  if (Array.isArray(set.keys)) return set;
  throw failed(`key set ${path}: it has no "keys"`);
}

function parse(text: string, what: string): Claims {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw failed(`${what}: ${reasonOf(cause)}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw failed(`${what}: no object`);
  return value as Claims;
}

function failed(message: string) {
  return fail('AUTH_SERVER_FAILED', message);
}
