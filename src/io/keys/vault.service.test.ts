import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { signV4 } from './aws-signature.ts';
import { openVault } from './vault.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

type Reply = [status: number, body: unknown];
type Handle = (request: IncomingMessage, body: string) => Reply;

/** A local server that implements a vault's protocol. */
async function fake(handle: Handle): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const [status, body] = handle(request, Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(...args: Parameters<typeof openVault>) {
  const vault = openVault(...args);
  cleanups.push(() => vault.close());
  return vault;
}

describe('HashiCorp Vault', () => {
  const handle =
    (data: Map<string, object>, logins: string[]): Handle =>
    (request, body) => {
      const url = new URL(request.url!, 'http://x');
      if (url.pathname === '/v1/auth/team/login') {
        logins.push(body);
        const { role_id, secret_id } = JSON.parse(body);
        return role_id === 'role' && secret_id === 'hidden'
          ? [200, { auth: { client_token: 'token' } }]
          : [400, { errors: ['invalid role or secret ID'] }];
      }
      if (request.headers['x-vault-token'] !== 'token') return [403, { errors: ['denied'] }];
      const at = url.pathname + url.search;
      if (request.method === 'POST') {
        data.set(at, JSON.parse(body).data);
        return [200, { data: { version: 1 } }];
      }
      const found = data.get(at);
      return found ? [200, { data: { data: found } }] : [404, { errors: [] }];
    };

  it('gives and takes keys, by token and by AppRole', async () => {
    const data = new Map<string, object>();
    const logins: string[] = [];
    const url = await fake(handle(data, logins));
    const secret = { name: 'team/tm', engine: 'kv' };
    for (const env of [
      { HASHICORP_TOKEN: 'token' },
      { HASHICORP_ROLE_ID: 'role', HASHICORP_SECRET_ID: 'hidden' },
    ]) {
      const vault = open({ type: 'HASHICORP', url, approlePath: 'team' }, env);
      await vault.set(secret, { publicKey: 'pub', privateKey: 'priv' });
      expect(await vault.get({ ...secret, field: 'privateKey' })).toBe('priv');
      await expect(vault.get({ ...secret, field: 'other' })).rejects.toMatchObject({
        code: 'VAULT_SECRET_MISSING',
      });
    }
    expect([...data.keys()]).toEqual(['/v1/kv/data/team/tm']);
    expect(logins.length).toBe(1);
    data.set('/v1/kv/data/team/tm?version=3', { privateKey: 'old' });
    const vault = open({ type: 'HASHICORP', url }, { HASHICORP_TOKEN: 'token' });
    expect(await vault.get({ ...secret, version: '3', field: 'privateKey' })).toBe('old');
    await expect(vault.get({ name: 'none' })).rejects.toThrow(/no value found at secret\/none/);
  });

  it('tells what is wrong, and no credential', async () => {
    const url = await fake(handle(new Map(), []));
    expect(() => openVault({ type: 'HASHICORP', url }, {})).toThrow(/HASHICORP_TOKEN/);
    const env = { HASHICORP_ROLE_ID: 'role', HASHICORP_SECRET_ID: 'guess-me' };
    const error = await open({ type: 'HASHICORP', url, approlePath: 'team' }, env)
      .get({ name: 'x' })
      .catch((cause: Error) => cause);
    expect((error as Error).message).toBe(
      'HashiCorp Vault answers the AppRole login with status 400',
    );
    const html = await fake(() => [200, '<html>']);
    await expect(
      open({ type: 'HASHICORP', url: html }, { HASHICORP_TOKEN: 't' }).get({ name: 'x' }),
    ).rejects.toThrow(/does not answer with JSON/);
  });
});

describe('AWS Secrets Manager', () => {
  it('signs as the published example of Signature Version 4', () => {
    const url = new URL('https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08');
    const signed = signV4(
      'GET',
      url,
      {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        host: 'iam.amazonaws.com',
      },
      '',
      'iam',
      {
        region: 'us-east-1',
        accessKeyId: 'AKIDEXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      },
      new Date('2015-08-30T12:36:00Z'),
    );
    expect(signed.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date, ' +
        'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  it('gives and takes keys', async () => {
    const data = new Map<string, string>();
    const seen: string[] = [];
    const url = await fake((request, body) => {
      expect(request.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-west-1\/secretsmanager\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
      );
      const operation = String(request.headers['x-amz-target']);
      seen.push(operation);
      const fields = JSON.parse(body);
      switch (operation) {
        case 'secretsmanager.CreateSecret':
          if (data.has(fields.Name)) return [400, { __type: 'ResourceExistsException' }];
          data.set(fields.Name, fields.SecretString);
          return [200, { Name: fields.Name }];
        case 'secretsmanager.PutSecretValue':
          data.set(fields.SecretId, fields.SecretString);
          return [200, {}];
        default: {
          const SecretString = data.get(fields.SecretId);
          const missing = { __type: 'com.amazonaws#ResourceNotFoundException' };
          return SecretString === undefined ? [400, missing] : [200, { SecretString }];
        }
      }
    });
    const env = {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'hidden',
      AWS_SESSION_TOKEN: 'session',
    };
    const vault = open({ type: 'AWS', url }, env);
    await vault.set({ name: 'tmKey' }, { value: 'one' });
    await vault.set({ name: 'tmKey' }, { value: 'two' });
    expect(await vault.get({ name: 'tmKey' })).toBe('two');
    await expect(vault.get({ name: 'none' })).rejects.toMatchObject({
      code: 'VAULT_SECRET_MISSING',
    });
    expect(seen).toContain('secretsmanager.PutSecretValue');
    expect(() => openVault({ type: 'AWS', url }, {})).toThrow(/AWS_REGION/);
  });
});

describe('Azure Key Vault', () => {
  it('gives and takes keys, by client credentials', async () => {
    const data = new Map<string, string>([['/secrets/tmKey/v1', 'old']]);
    const url = await fake((request, body) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://x');
      if (pathname === '/tenant/oauth2/v2.0/token') {
        const form = Object.fromEntries(new URLSearchParams(body));
        const good = { grant_type: 'client_credentials', client_id: 'id', client_secret: 'hidden' };
        expect(form).toMatchObject({ scope: 'https://vault.azure.net/.default' });
        return Object.entries(good).every(([name, value]) => form[name] === value)
          ? [200, { access_token: 'token', expires_in: 3599 }]
          : [401, { error: 'invalid_client' }];
      }
      expect(request.headers.authorization).toBe('Bearer token');
      expect(searchParams.get('api-version')).toBe('7.4');
      if (request.method === 'PUT') data.set(pathname, JSON.parse(body).value);
      const value = data.get(pathname);
      return value === undefined
        ? [404, { error: { code: 'SecretNotFound' } }]
        : [200, { value, id: `${pathname}/v2` }];
    });
    const env = {
      AZURE_CLIENT_ID: 'id',
      AZURE_CLIENT_SECRET: 'hidden',
      AZURE_TENANT_ID: 'tenant',
      AZURE_AUTHORITY_HOST: url,
    };
    const vault = open({ type: 'AZURE', url }, env);
    await vault.set({ name: 'tmKey' }, { value: 'new' });
    expect(await vault.get({ name: 'tmKey' })).toBe('new');
    expect(await vault.get({ name: 'tmKey', version: 'v1' })).toBe('old');
    await expect(vault.get({ name: 'none' })).rejects.toMatchObject({
      code: 'VAULT_SECRET_MISSING',
    });
    const wrong = open({ type: 'AZURE', url }, { ...env, AZURE_CLIENT_SECRET: 'guess-me' });
    await expect(wrong.get({ name: 'tmKey' })).rejects.toThrow(
      'Azure Key Vault answers the login with status 401',
    );
    expect(() => openVault({ type: 'AZURE', url: undefined }, env)).toThrow(/needs a url/);
  });
});
