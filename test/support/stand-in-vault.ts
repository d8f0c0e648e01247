/**
 * What GoQuorum's account plugin calls of HashiCorp Vault: AppRole, a key-value engine of version 2
 * at /kv, and the engine quorum-signer at /qs.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Signature, SigningKey, Wallet } from 'ethers';

/** The key that the engine quorum-signer makes. */
export const MADE_KEY = '0a'.repeat(32);
/** Environment of whoever may log in. */
export const ROLE = {
  ...{ HASHICORP_ROLE_ID: 'role', HASHICORP_SECRET_ID: 'secret-id', MOUNT: 'approle' },
};

export interface StandInVault {
  readonly url: string;
  /** Versions of each secret, by its name. */
  readonly secrets: Map<string, object[]>;
  /** Methods and paths of all requests. */
  readonly asked: string[];
  close(): void;
}

export async function standInVault(secrets: Map<string, object[]>): Promise<StandInVault> {
  const asked: string[] = [];
  const signers = new Map<string, string>();
  const answer = (method: string, at: URL, token: unknown, body: any): [number, object] => {
    asked.push(`${method} ${at.pathname}`);
    if (at.pathname === '/v1/auth/approle/login') {
      if (body.role_id !== 'role' || body.secret_id !== 'secret-id') return [400, { errors: [] }];
      return [200, { auth: { client_token: 'a-token', lease_duration: 0, renewable: false } }];
    }
    if (token !== 'a-token') return [403, { errors: ['permission denied'] }];
    const [, name] = /^\/v1\/kv\/data\/(.+)$/.exec(at.pathname) ?? [];
    if (name !== undefined) {
      const held = secrets.get(name) ?? [];
      if (method === 'GET') {
        const version = Number(at.searchParams.get('version'));
        const data = held[version === 0 ? held.length - 1 : version - 1];
        return data ? [200, { data: { data } }] : [404, { errors: [] }];
      }
      const { cas } = body.options ?? {};
      if (cas !== undefined && cas !== held.length) return [400, { errors: ['check-and-set'] }];
      secrets.set(name, [...held, body.data]);
      return [200, { data: { version: held.length + 1 } }];
    }
    const [, place, secret] = /^\/v1\/qs\/(sign|accounts)\/(.+)$/.exec(at.pathname) ?? [];
    if (secret === undefined) return [404, { errors: [] }];
    if (place === 'accounts') {
      signers.set(secret, body.import ?? MADE_KEY);
      return [200, { data: { addr: new Wallet(`0x${signers.get(secret)}`).address.slice(2) } }];
    }
    const key = new SigningKey(`0x${signers.get(secret)}`);
    const { r, s, yParity } = Signature.from(key.sign(`0x${at.searchParams.get('sign')}`));
    return [200, { data: { sig: `${r.slice(2)}${s.slice(2)}0${yParity}` } }];
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const at = new URL(request.url!, 'http://vault');
      const parsed = body === '' ? {} : JSON.parse(body);
      const [status, reply] = answer(request.method!, at, request.headers['x-vault-token'], parsed);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, secrets, asked, close };
}
