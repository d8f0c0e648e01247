/**
 * A manager that supports only Tessera's protocol and none of our extensions, with another
 * library's cryptography.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hsalsa, secretbox } from '@noble/ciphers/salsa';
import { x25519 } from '@noble/curves/ed25519.js';
import { decodeLegacy } from '../../src/core/payload/payload-legacy.ts';
import { encodePartyInfo } from '../../src/services/ptm/manager/party-info.ts';
import type { TestKey } from './ptm.ts';

const VERSIONS = ['v1', 'v2', '2.1', '3.0', '4.0'];
const words = (input: Uint8Array) => new Uint32Array(Uint8Array.from(input).buffer);
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

/** crypto_box_beforenm. */
export function beforenm(publicKey: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const out = new Uint32Array(8);
  hsalsa(
    words(Buffer.from('expand 32-byte k')),
    words(x25519.getSharedSecret(secretKey, publicKey)),
    new Uint32Array(4),
    out,
  );
  return new Uint8Array(out.buffer);
}

export interface TesseraPeer {
  readonly url: string;
  /** The requests to it, except party info and its own proofs. */
  readonly requests: { path: string; versions: string; body: Buffer }[];
  keys: readonly TestKey[];
  /** Keys that it claims to have. */
  claims: readonly string[] | undefined;
  /** Its response to a challenge; undefined: the correct one. */
  proof: string | undefined;
  parties: readonly string[];
  versions: readonly string[];
  /** Replaces its handler, which accepts everything; undefined: 404. */
  answer: ((path: string, body: Buffer) => Promise<string | undefined>) | undefined;
  /** The status for pushes and batches. */
  status: number | undefined;
  close(): Promise<void>;
}

export async function tesseraPeer(keys: readonly TestKey[] = []): Promise<TesseraPeer> {
  const server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', async () => {
      const path = incoming.url!;
      const body = Buffer.concat(chunks);
      response.setHeader('tesseraSupportedApiVersions', [...peer.versions]);
      if (path === '/partyinfo') {
        if (incoming.method === 'GET') {
          response.setHeader('content-type', 'application/json');
          return response.end(JSON.stringify(description(peer)));
        }
        return response.end(encodePartyInfo({ url: peer.url, keys: [], parties: [] }));
      }
      if (path === '/partyinfo/validate') {
        const text = peer.proof ?? opened(body, peer.keys);
        return response.writeHead(text === undefined ? 400 : 200).end(text);
      }
      const versions = String(incoming.headers.tesserasupportedapiversions);
      peer.requests.push({ path, versions, body });
      if (peer.answer) {
        const answer = await peer.answer(path, body);
        return response.writeHead(answer === undefined ? 404 : 200).end(answer);
      }
      const known = ['/push', '/pushBatch'].includes(path);
      return response
        .writeHead(known ? (peer.status ?? (path === '/push' ? 201 : 200)) : 404)
        .end('hash');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const peer: TesseraPeer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: [],
    keys,
    claims: undefined,
    proof: undefined,
    parties: [],
    versions: VERSIONS,
    answer: undefined,
    status: undefined,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return peer;
}

function description({ url, keys, claims, parties }: TesseraPeer) {
  const named = claims ?? keys.map(({ publicKey }) => publicKey);
  return {
    url,
    peers: [...parties, url].map((party) => ({ url: party })),
    keys: named.map((key) => ({ key, url })),
  };
}

function opened(challenge: Buffer, keys: readonly TestKey[]): string | undefined {
  const payload = decodeLegacy(new Uint8Array(challenge));
  const named = Buffer.from(payload.recipientKeys[0]!).toString('base64');
  const own = keys.find(({ publicKey }) => publicKey === named);
  if (!own) return undefined;
  const shared = beforenm(payload.senderKey, bytes(own.privateKey));
  const master = secretbox(shared, payload.recipientNonce).open(payload.recipientBoxes[0]!);
  const text = secretbox(master, payload.cipherTextNonce).open(payload.cipherText);
  return Buffer.from(text).toString();
}
