import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadEnclaveCrypto } from '../../../io/sodium/nacl.ts';
import { generatePair } from '../keygen.ts';
import { loadKey, parseKeySources } from './key-sources.ts';
import { storeVaultKey, vaultType } from './vault-keys.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** One server with the protocols of all three vaults. */
async function vaults(): Promise<string> {
  const data = new Map<string, unknown>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = new URL(request.url!, 'http://x').pathname;
    const text = Buffer.concat(chunks).toString();
    const isForm = path.endsWith('/token');
    const body = text === '' || isForm ? {} : JSON.parse(text);
    const operation = request.headers['x-amz-target'];
    let answer: unknown = { access_token: 'token' };
    if (operation) {
      if (body.Name) data.set(body.Name, body.SecretString);
      answer = { SecretString: data.get(body.SecretId) };
    } else if (path.startsWith('/secrets/')) {
      if (request.method === 'PUT') data.set(path, body.value);
      answer = { value: data.get(path) };
    } else if (!isForm) {
      if (request.method === 'POST') data.set(path, body.data);
      answer = { data: { data: data.get(path) } };
    }
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('keys in vaults', () => {
  it.each(['HASHICORP', 'aws', 'Azure'])(
    '%s: what keygen prints, a configuration reads',
    async (name) => {
      const url = await vaults();
      for (const [variable, value] of Object.entries({
        HASHICORP_TOKEN: 'token',
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'hidden',
        AZURE_CLIENT_ID: 'id',
        AZURE_CLIENT_SECRET: 'hidden',
        AZURE_TENANT_ID: 'tenant',
        AZURE_AUTHORITY_HOST: url,
      })) {
        vi.stubEnv(variable, value);
      }
      const type = vaultType(name);
      const pair = await generatePair();
      const entry = await storeVaultKey({ type, url }, pair, 'tm', 'kv', process.env);
      const crypto = await loadEnclaveCrypto();
      const property = type === 'AWS' ? 'endpoint' : 'url';
      const keyVaultConfigs = [{ keyVaultType: type, properties: { [property]: url } }];
      const [source] = parseKeySources({ keyVaultConfigs, keyData: [entry] }, '/');
      expect(await loadKey(source!, crypto, process.env)).toEqual(pair);
      vi.unstubAllEnvs();
      for (const variable of ['HASHICORP_TOKEN', 'AWS_REGION', 'AZURE_CLIENT_ID']) {
        vi.stubEnv(variable, '');
      }
      await expect(loadKey(source!, crypto, process.env)).rejects.toThrow(
        /keys\.keyData\[0\]: .* needs the environment variables/,
      );
    },
  );

  it('need a vault of their kind in the configuration', () => {
    const keyData = [{ azureVaultPublicKeyId: 'a', azureVaultPrivateKeyId: 'b' }];
    expect(() => parseKeySources({ keyData }, '/')).toThrow(/keyVaultType AZURE with a url/);
    expect(() =>
      parseKeySources({ keyData: [{ awsSecretsManagerPublicKeyId: 'a' }] }, '/'),
    ).toThrow(/awsSecretsManagerPrivateKeyId is missing/);
    expect(() => vaultType('other')).toThrow(/HASHICORP, AWS, AZURE/);
  });
});
