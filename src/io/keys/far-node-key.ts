/**
 * A node key that a signing proxy keeps (docs/accounts.md). The node asks it for each signature and
 * each secret that it shares with a peer; it never has the key.
 */
import { type Address, equalBytes, type Hash32 } from '../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { hexOfLength, toHex } from '../../core/base/hex.ts';
import { localNodeKey, type NodeKey } from '../../core/base/node-key.ts';
import { addressOfPublicKey, recoverAddress, secp256k1 } from '../../core/base/secp256k1.ts';
import { readText } from '../host/files.ts';
import { readAuthorities, readKeyPair } from '../host/key-pair.ts';
import { reasonOf } from '../host/reason.ts';
import { HttpClient } from '../http/http-client.ts';

/** Time limit of an answer: the proxy signs within a millisecond. */
export const ANSWER_MS = 1_000;
/** Maximum of requests that wait for an answer; further ones fail at once. */
export const WAITING_MAX = 64;
const ANSWER_BYTES_MAX = 16_384;
const CONNECTIONS_MAX = 4;
const REASON_CHARACTERS_MAX = 300;

/** How to reach the proxy. Files hold PEM, and the bearer token. */
export interface FarKeyAccess {
  readonly url: string;
  /** Which key, if the proxy has several. */
  readonly address: Address | undefined;
  readonly tokenFile: string | undefined;
  readonly rootCa: string | undefined;
  readonly clientCert: string | undefined;
  readonly clientKey: string | undefined;
}

export interface FarKeyPlace extends FarKeyAccess {
  /** 64 bytes, as the proxy said at the start. */
  readonly publicKey: Uint8Array;
}

/** The key's 32 bytes, or the proxy that has it; can be sent to another thread. */
export type NodeKeyPlace = Uint8Array | FarKeyPlace;

export function openNodeKey(place: NodeKeyPlace): NodeKey {
  return place instanceof Uint8Array ? localNodeKey(place) : new FarNodeKey(place);
}

/**
 * Asks the proxy for the public key. Throws FILE_UNREADABLE, TLS_CONFIG_INVALID, TOKEN_INVALID, and
 * NODE_KEY_UNAVAILABLE if there is no such key for this node.
 */
export async function findFarKey(access: FarKeyAccess): Promise<FarKeyPlace> {
  const wire = new FarKeyWire(access);
  try {
    const { address } = access;
    const answer = await wire.ask('nodekey_publicKey', address ? [toHex(address)] : []);
    const publicKey = hexOfLength(answer, 64);
    if (!publicKey || !secp256k1().isPublicKey(publicKey))
      throw wire.unavailable('its answer is not a public key');
    return { ...access, publicKey };
  } finally {
    wire.close();
  }
}

class FarNodeKey implements NodeKey {
  readonly publicKey: Uint8Array;
  private readonly address: Address;
  private readonly wire: FarKeyWire;

  constructor(place: FarKeyPlace) {
    this.publicKey = place.publicKey;
    this.address = addressOfPublicKey(place.publicKey);
    this.wire = new FarKeyWire(place);
  }

  async sign(hash: Hash32): Promise<Uint8Array> {
    const params = [toHex(this.address), toHex(hash)];
    const signature = hexOfLength(await this.wire.ask('nodekey_sign', params), 65);
    const signer = signature && recoverAddress(hash, signature);
    if (signature && signer && equalBytes(signer, this.address)) return signature;
    throw this.wire.unavailable('its answer is not the signature of this key');
  }

  async sharedX(publicKey: Uint8Array): Promise<Uint8Array> {
    const params = [toHex(this.address), toHex(publicKey)];
    const secret = hexOfLength(await this.wire.ask('nodekey_ecdh', params), 32);
    if (secret) return secret;
    throw this.wire.unavailable('its answer is not a shared secret');
  }
}

class FarKeyWire {
  private readonly access: FarKeyAccess;
  private readonly url: URL;
  private readonly client: HttpClient;
  private token: string | undefined;
  private waiting = 0;
  private asked = 0;

  constructor(access: FarKeyAccess) {
    const { url, rootCa, clientCert, clientKey } = access;
    this.access = access;
    this.url = new URL(url);
    this.client = new HttpClient({
      dialTimeoutMs: ANSWER_MS,
      timeoutMs: ANSWER_MS,
      idleTimeoutMs: 0,
      responseBytesMax: ANSWER_BYTES_MAX,
      socketsMax: CONNECTIONS_MAX,
      tls: {
        ...(rootCa === undefined ? {} : { ca: readAuthorities(rootCa) }),
        ...(clientCert !== undefined && clientKey !== undefined
          ? readKeyPair({ certFile: clientCert, keyFile: clientKey })
          : {}),
      },
    });
    this.readToken();
  }

  async ask(method: string, params: readonly string[]): Promise<unknown> {
    if (this.waiting >= WAITING_MAX) throw this.unavailable('too many requests wait for it');
    this.waiting++;
    try {
      return this.resultOf(await this.post({ jsonrpc: '2.0', id: ++this.asked, method, params }));
    } finally {
      this.waiting--;
    }
  }

  close(): void {
    this.client.close();
  }

  unavailable(why: string): QuorateError {
    const place = `${this.url.origin}${this.url.pathname}`;
    return fail('NODE_KEY_UNAVAILABLE', `the proxy of the node key at ${place}: ${why}`);
  }

  private async post(request: object): Promise<string> {
    const body = JSON.stringify(request);
    const headers: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(Buffer.byteLength(body))],
      ...(this.token === undefined ? [] : [['Authorization', this.token] as [string, string]]),
    ];
    const call = { method: 'POST', url: this.url, headers, body };
    const answer = await this.client.request(call).catch((cause: unknown) => {
      throw this.unavailable(reasonOf(cause));
    });
    // A token that has expired may have been replaced.
    if (answer.status === 401) this.readToken();
    return Buffer.from(answer.body).toString('utf8');
  }

  private resultOf(text: string): unknown {
    let reply: {
      result?: unknown;
      error?: { message?: unknown; data?: { reason?: unknown } };
    } | null;
    try {
      reply = JSON.parse(text);
    } catch {
      throw this.unavailable('its answer is not JSON');
    }
    if (!reply?.error) return reply?.result;
    const { message, data } = reply.error;
    throw this.unavailable(String(data?.reason ?? message).slice(0, REASON_CHARACTERS_MAX));
  }

  private readToken(): void {
    const { tokenFile } = this.access;
    if (tokenFile === undefined) return;
    const token = readText(tokenFile).trim();
    if (!/^[\w.~+/=-]+$/.test(token))
      throw fail('TOKEN_INVALID', `${tokenFile} must contain a token, and nothing else`);
    this.token = `Bearer ${token}`;
  }
}
