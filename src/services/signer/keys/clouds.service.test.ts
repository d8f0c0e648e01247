import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate, pkcs12 } from '../../../../test/support/certificates.ts';
import {
  awsStandIn,
  azureStandIn,
  type CloudKey,
  gcpStandIn,
  vaultStandIn,
} from '../../../../test/support/key-clouds.ts';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { addressOfSecretKey, recoverAddress } from '../../../core/base/secp256k1.ts';
import { type AccountsDeps, openAccounts } from './accounts.ts';
import type { KeySettings } from './settings.ts';

const CANARY = 'canary-5ec2e7-0123456789';

let folder: string;
let lines: string[];
const cleanups: { close(): void }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-clouds-'));
  mkdirSync(join(folder, 'keys'));
  lines = [];
});
afterEach(() => {
  for (const each of cleanups.splice(0).reverse()) each.close();
  rmSync(folder, { recursive: true });
  expect(lines.join('\n')).not.toContain(CANARY);
});

function kept<T extends { close(): void }>(what: T): T {
  cleanups.push(what);
  return what;
}

function secret(index: number): Uint8Array {
  return keccak256(Uint8Array.of(7, index));
}

function account(index: number): string {
  return toHex(addressOfSecretKey(secret(index)));
}

function key(index: number, more: Partial<CloudKey> = {}): CloudKey {
  return { name: `key-${index}`, secretKey: secret(index), ...more };
}

/** One YAML file with one document for each. */
function yaml(...documents: readonly Readonly<Record<string, string | number>>[]): void {
  const text = documents.map((fields) =>
    Object.entries({ keyType: 'SECP256K1', ...fields })
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  for (const [index, each] of text.entries()) {
    writeFileSync(join(folder, 'keys', `${index}.yaml`), each);
  }
}

async function open(settings: Partial<KeySettings> = {}, deps: Partial<AccountsDeps> = {}) {
  const text = (value: unknown) =>
    value instanceof Error ? `${value.message} ${String(value.cause)}` : value;
  return kept(
    await openAccounts(
      { configPath: join(folder, 'keys'), ...settings },
      {
        log: (level, message, facts = {}) =>
          void lines.push(
            `${level} ${message} ${JSON.stringify(facts, (_name, value) => text(value))}`,
          ),
        ...deps,
      },
    ),
  );
}

/** Many digests, so that both recovery ids and both halves of s come by. */
async function signsAs(
  { accounts }: Awaited<ReturnType<typeof open>>,
  address: string,
  times = 6,
): Promise<void> {
  const signer = accounts.find(address)!;
  for (let index = 0; index < times; index++) {
    const digest = keccak256(Uint8Array.of(index));
    const signature = await signer.sign(digest);
    expect(toHex(recoverAddress(digest, signature)!)).toBe(address);
    expect(signature[32]! < 0x80).toBe(true);
  }
}

describe('AWS', () => {
  const credentials = { region: 'eu-west-1', accessKeyId: 'AKIDTEST', secretAccessKey: CANARY };
  const fields = (url: string) => ({ ...credentials, endpointOverride: url });

  it('signs in KMS, and with a key of Secrets Manager', async () => {
    const aws = kept(
      await awsStandIn({
        ...credentials,
        keys: [key(1), key(2, { isForeign: true })],
        secrets: { three: `0x${bareHex(secret(3))}`, bad: `${CANARY}` },
        throttles: 2,
      }),
    );
    yaml(
      { type: 'aws-kms', kmsKeyId: 'key-1', ...fields(aws.url) },
      { type: 'aws-kms', kmsKeyId: 'key-2', ...fields(aws.url) },
      { type: 'aws-kms', kmsKeyId: 'none', ...fields(aws.url) },
      { type: 'aws-secret', secretName: 'three', ...fields(aws.url) },
      { type: 'aws-secret', secretName: 'bad', ...fields(aws.url) },
      { type: 'aws-secret', secretName: 'none', ...fields(aws.url) },
      { type: 'aws-kms', kmsKeyId: 'key-1', ...fields(aws.url), secretAccessKey: `${CANARY}wrong` },
      { type: 'aws-kms', kmsKeyId: 'key-1', region: 'eu-west-1' },
    );
    const accounts = await open();
    expect(accounts.accounts.addresses()).toEqual([1, 3].map(account).sort());
    expect(accounts.health().sources[0]).toMatchObject({ loaded: 2, errors: 6 });
    await signsAs(accounts, account(1));
    await signsAs(accounts, account(3));
    expect(aws.asked.filter((each) => each === 'Sign').length).toBe(6);
    expect(lines.join('\n')).toContain('InvalidSignatureException');
    aws.close();
    await expect(
      Promise.resolve(accounts.accounts.find(account(1))!.sign(keccak256(secret(1)))),
    ).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' });
  });

  it('finds all keys of a region that are enabled, fit and have the tags', async () => {
    const tags = { team: 'a', use: 'sign' };
    const aws = kept(
      await awsStandIn({
        ...credentials,
        sessionToken: 'session',
        keys: [
          key(1, { tags }),
          key(2, { tags: { team: 'b', use: 'sign' } }),
          key(3, { tags, enabled: false }),
          key(4, { tags, isForeign: true }),
          key(5, { tags: { ...tags, more: 'x' } }),
        ],
      }),
    );
    const env = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CANARY,
      AWS_SESSION_TOKEN: 'session',
    };
    const access = { mode: 'ENVIRONMENT', region: 'eu-west-1', endpoint: aws.url } as const;
    const some = await open({ awsKms: { access, tags } }, { env });
    expect(some.accounts.addresses()).toEqual([1, 5].map(account).sort());
    expect(some.health()).toMatchObject({
      isUp: true,
      sources: [{}, { id: 'aws-bulk-loading', loaded: 2, errors: 0 }],
    });
    await signsAs(some, account(5));
    const all = await open({ awsKms: { access, tags: {} } }, { env });
    expect(all.accounts.addresses()).toEqual([1, 2, 5].map(account).sort());
    const refused = await open(
      { awsKms: { access, tags } },
      { env: { ...env, AWS_SECRET_ACCESS_KEY: `${CANARY}x` } },
    );
    expect(refused.health()).toMatchObject({
      isUp: false,
      sources: [{}, { id: 'aws-bulk-loading', loaded: 0, errors: 1 }],
    });
  });

  it("takes credentials of AWS's package where the environment has none, and names it where it is missing", async () => {
    const aws = kept(await awsStandIn({ ...credentials, sessionToken: 'rotated', keys: [key(1)] }));
    yaml({
      type: 'aws-kms',
      authenticationMode: 'ENVIRONMENT',
      region: 'eu-west-1',
      kmsKeyId: 'key-1',
      endpointOverride: aws.url,
    });
    let asked = 0;
    const provider = async () => {
      asked += 1;
      const { accessKeyId, secretAccessKey } = credentials;
      return { accessKeyId, secretAccessKey, sessionToken: 'rotated', expiration: new Date(9e12) };
    };
    const load = async (name: string) => {
      expect(name).toBe('@aws-sdk/credential-providers');
      return { fromNodeProviderChain: () => provider };
    };
    const accounts = await open({}, { clouds: { load } });
    await signsAs(accounts, account(1));
    expect(asked).toBe(1);
    const without = await open({});
    expect(without.accounts.addresses()).toEqual([]);
    expect(lines.join('\n')).toContain('npm install @aws-sdk/credential-providers');
  });
});

describe('Azure Key Vault', () => {
  const login = { tenantId: 'tenant', clientId: 'client', clientSecret: CANARY };
  const tenant = { tenant: 'tenant', clientId: 'client', clientSecret: CANARY };

  it('signs in the vault, and with a key that is a secret of it', async () => {
    const azure = kept(
      await azureStandIn({
        ...tenant,
        keys: [key(1), key(2, { isForeign: true })],
        secrets: { three: bareHex(secret(3)) },
      }),
    );
    const fields = { vaultName: 'vault', endpointOverride: azure.url, ...login };
    yaml(
      { type: 'azure-key', keyName: 'key-1', ...fields },
      { type: 'azure-key', keyName: 'key-2', ...fields },
      { type: 'azure-key', keyName: 'none', ...fields },
      { type: 'azure-secret', secretName: 'three', ...fields },
      { type: 'azure-secret', secretName: 'none', ...fields },
      { type: 'azure-key', keyName: 'key-1', ...fields, clientSecret: `${CANARY}x` },
      { type: 'azure-key', keyName: 'key-1', ...fields, vaultName: '../other' },
      { type: 'azure-secret', secretName: 'three', vaultName: 'vault' },
    );
    const env = { AZURE_AUTHORITY_HOST: azure.url };
    const accounts = await open({}, { env });
    expect(accounts.accounts.addresses()).toEqual([1, 3].map(account).sort());
    expect(accounts.health().sources[0]).toMatchObject({ loaded: 2, errors: 6 });
    await signsAs(accounts, account(1));
    await signsAs(accounts, account(3));
    // One login for all keys of one client.
    expect(azure.asked.filter((each) => each.endsWith('/token')).length).toBe(2);
    azure.forget();
    await signsAs(accounts, account(1), 1);
    const told = lines.join('\n');
    expect(told).toContain('Remote key has unsupported curve name');
    expect(told).toContain('Keyvault does not contain key with specified parameters');
    expect(told).toContain(
      'Missing values for required parameters: clientId,clientSecret,tenantId',
    );
  });

  it('finds all keys of a vault with the tags, as a managed identity, under the older name of the curve', async () => {
    const azure = kept(
      await azureStandIn({
        ...tenant,
        curveName: 'SECP256K1',
        keys: [1, 2, 3, 4, 5].map((index) =>
          key(index, { tags: { odd: String(index % 2) }, enabled: index !== 5 }),
        ),
      }),
    );
    const access = {
      mode: 'USER_ASSIGNED_MANAGED_IDENTITY',
      clientId: 'client',
      vaultName: 'vault',
      endpoint: azure.url,
      timeoutMs: 5000,
    } as const;
    const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: azure.url };
    const accounts = await open({ azure: { access, tags: { odd: '1' } } }, { env });
    expect(accounts.accounts.addresses()).toEqual([1, 3].map(account).sort());
    await signsAs(accounts, account(3));
    expect(accounts.health().sources[1]).toMatchObject({ id: 'azure-bulk-loading', loaded: 2 });
    const wrong = { ...access, clientId: 'another' };
    const refused = await open({ azure: { access: wrong, tags: {} } }, { env });
    expect(refused.health()).toMatchObject({ isUp: false });
  });

  it("takes tokens of Azure's package in mode DEFAULT, and names it where it is missing", async () => {
    const azure = kept(await azureStandIn({ ...tenant, keys: [key(1)] }));
    yaml({
      type: 'azure-key',
      authenticationMode: 'DEFAULT',
      keyName: 'key-1',
      vaultName: 'vault',
      endpointOverride: azure.url,
    });
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'client',
      client_secret: CANARY,
      scope: 'https://vault.azure.net/.default',
    });
    class DefaultAzureCredential {
      async getToken() {
        const answer = await fetch(`${azure.url}/tenant/oauth2/v2.0/token`, {
          method: 'POST',
          body: form,
        });
        const { access_token: token } = (await answer.json()) as { access_token: string };
        return { token, expiresOnTimestamp: Date.now() + 3_600_000 };
      }
    }
    const load = async () => ({ DefaultAzureCredential });
    await signsAs(await open({}, { clouds: { load } }), account(1));
    expect((await open({})).accounts.addresses()).toEqual([]);
    expect(lines.join('\n')).toContain('npm install @azure/identity');
  });
});

describe('Google Cloud KMS', () => {
  const name = (index: number) =>
    `projects/p/locations/global/keyRings/r/cryptoKeys/k${index}/cryptoKeyVersions/1`;

  it("signs with a service account's key, or by Google's package", async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const email = 'signer@p.iam.gserviceaccount.com';
    const gcp = kept(
      await gcpStandIn({
        email,
        publicKey,
        keys: [
          { name: name(1), secretKey: secret(1) },
          { name: name(2), secretKey: secret(2), isForeign: true },
        ],
      }),
    );
    const file = (pem: unknown) =>
      JSON.stringify({
        type: 'service_account',
        client_email: email,
        private_key: pem,
        private_key_id: 'id',
        token_uri: `${gcp.url}/token`,
      });
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const pem = { format: 'pem', type: 'pkcs8' } as const;
    writeFileSync(join(folder, 'keys', 'account.json'), file(privateKey.export(pem)));
    writeFileSync(join(folder, 'keys', 'other.json'), file(other.export(pem)));
    writeFileSync(join(folder, 'keys', 'broken.json'), file(CANARY));
    const base = { type: 'gcp-kms', endpointOverride: gcp.url };
    yaml(
      { ...base, credentialsFile: 'account.json', keyVersionName: name(1) },
      { ...base, credentialsFile: 'account.json', keyVersionName: name(2) },
      { ...base, credentialsFile: 'account.json', keyVersionName: name(3) },
      { ...base, credentialsFile: 'other.json', keyVersionName: name(1) },
      { ...base, credentialsFile: 'broken.json', keyVersionName: name(1) },
      { ...base, credentialsFile: 'account.json', keyVersionName: 'k1' },
    );
    const accounts = await open();
    expect(accounts.accounts.addresses()).toEqual([account(1)]);
    expect(accounts.health().sources[0]).toMatchObject({ loaded: 1, errors: 5 });
    await signsAs(accounts, account(1));
    gcp.forget();
    await signsAs(accounts, account(1), 1);
    expect(gcp.asked.filter((each) => each === 'POST /token').length).toBe(3);
    expect(lines.join('\n')).not.toContain('PRIVATE KEY');

    rmSync(join(folder, 'keys'), { recursive: true });
    mkdirSync(join(folder, 'keys'));
    yaml({ ...base, project: 'p', location: 'global', keyRing: 'r', keyName: 'k1' });
    expect((await open()).accounts.addresses()).toEqual([]);
    expect(lines.join('\n')).toContain('npm install google-auth-library');
    const path = join(folder, 'account.json');
    writeFileSync(path, file(privateKey.export(pem)));
    const env = { GOOGLE_APPLICATION_CREDENTIALS: path };
    await signsAs(await open({}, { env }), account(1), 1);
    let asked = 0;
    class GoogleAuth {
      async getAccessToken() {
        asked += 1;
        return 'nobody';
      }
    }
    await open({}, { clouds: { load: async () => ({ GoogleAuth }) } });
    expect(asked).toBeGreaterThan(0);
  });
});

describe('HashiCorp Vault (stand-in)', () => {
  const jwt = 'header.service.account';

  it('gives keys for a token, by AppRole and from Kubernetes; has tokens anew and renews them', async () => {
    const path = (index: number) => `/v1/secret/data/team/key${index}`;
    const vault = kept(
      await vaultStandIn({
        rootToken: CANARY,
        roleId: 'role',
        secretId: CANARY,
        jwt,
        secrets: {
          [path(1)]: { value: bareHex(secret(1)) },
          [path(2)]: { other: `0x${bareHex(secret(2))}` },
          [path(3)]: { value: bareHex(secret(3)) },
          [path(4)]: { value: CANARY },
        },
      }),
    );
    const { hostname, port } = new URL(vault.url);
    writeFileSync(join(folder, 'keys', 'token'), `${jwt}\n`);
    writeFileSync(join(folder, 'keys', 'root'), `${CANARY}\nmore\n`);
    const base = { type: 'hashicorp', serverHost: hostname, serverPort: port };
    const role = { authMethod: 'APPROLE', appRoleId: 'role', appRoleSecretId: CANARY };
    const cluster = {
      authMethod: 'kubernetes',
      kubernetesRole: 'signer',
      kubernetesServiceAccountTokenPath: 'token',
    };
    yaml(
      { ...base, keyPath: path(1), token: CANARY },
      { ...base, keyPath: path(2), keyName: 'other', ...role },
      { ...base, keyPath: path(3), ...cluster },
      { ...base, keyPath: path(1), ...role },
      { ...base, keyPath: path(1), token: `${CANARY}wrong` },
      { ...base, keyPath: path(4), tokenFile: 'root' },
      { ...base, keyPath: path(5), token: CANARY },
      { ...base, keyPath: path(1), keyName: 'none', token: CANARY },
      { ...base, keyPath: path(1) },
      { ...base, keyPath: path(1), authMethod: 'KUBERNETES' },
      { ...base, keyPath: path(1), ...role, appRoleSecretId: `${CANARY}x` },
      { ...base, keyPath: path(1), token: CANARY, tlsEnabled: 'true' },
    );
    const due: { readonly delayMs: number; readonly fire: () => void }[] = [];
    const timers = {
      set(delayMs: number, fire: () => void) {
        due.push({ delayMs, fire });
        return { cancel: () => undefined };
      },
      yield: (next: () => void) => void setImmediate(next),
    };
    const accounts = await open({}, { clouds: { timers } });
    expect(accounts.accounts.addresses()).toEqual([1, 2, 3].map(account).sort());
    expect(accounts.health().sources[0]).toMatchObject({ errors: 8 });
    for (const index of [1, 2, 3]) await signsAs(accounts, account(index), 1);
    const told = lines.join('\n');
    for (const text of [
      'Error communicating with Hashicorp vault: Requested Secret name does not exist.',
      'Error communicating with Hashicorp vault: Received invalid Http status code 403.',
      'Invalid response returned from Hashicorp Vault',
      'token must be provided when using TOKEN auth method',
      'kubernetesRole must be provided when using KUBERNETES auth method',
      'HashiCorp Vault answers the AppRole login with status 400',
      'Duplicate key found',
    ]) {
      expect(told).toContain(text);
    }
    const logins = () => vault.asked.filter((each) => each.endsWith('/login')).length;
    expect(logins()).toBe(3);
    expect(due.map(({ delayMs }) => delayMs)).toEqual([40_000, 40_000]);
    for (const { fire } of due.splice(0)) fire();
    while (due.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(vault.asked.filter((each) => each.endsWith('renew-self')).length).toBe(2);
    const before = logins();
    vault.forget();
    await accounts.reload();
    expect(accounts.accounts.addresses().length).toBe(3);
    // Two whose tokens were forgotten, and the one with a wrong secret id.
    expect(logins()).toBe(before + 3);
  });

  it('is trusted by its fingerprint, by authorities in PEM or PKCS#12, and not otherwise', async () => {
    const authority = makeCertificate('authority');
    const own = makeCertificate('vault', authority);
    const other = makeCertificate('other authority');
    const keyPath = '/v1/secret/data/key';
    const vault = kept(
      await vaultStandIn({
        ...{ rootToken: CANARY, roleId: 'role', secretId: CANARY, jwt, tls: own },
        secrets: {
          [keyPath]: Object.fromEntries(
            [1, 2, 3, 4, 5, 6, 7].map((index) => [`k${index}`, bareHex(secret(index))]),
          ),
        },
      }),
    );
    const { port } = new URL(vault.url);
    const print = (cert: string) => new X509Certificate(cert).fingerprint256;
    const put = (name: string, content: string | Buffer) =>
      writeFileSync(join(folder, 'keys', name), content);
    put('known', `127.0.0.1:${port} ${print(own.cert)}\n`);
    put('wrong', `127.0.0.1:${port} ${print(other.cert)}\n`);
    put('ca.pem', authority.cert);
    put('other.pem', other.cert);
    put('ca.p12', pkcs12(authority, 'words'));
    const toml = (index: number, type: string, path: string) =>
      put(
        `${account(index).slice(2)}.toml`,
        `[signing]\ntype = "hashicorp-signer"\nserverHost = "127.0.0.1"\nserverPort = ${port}\n` +
          `keyPath = "${keyPath}"\nkeyName = "k${index}"\ntoken = "${CANARY}"\n` +
          `tlsTrustStoreType = "${type}"\ntlsTrustStorePath = "${path}"\ntlsTrustStorePassword = "words"\n`,
      );
    toml(1, 'ALLOWLIST', 'known');
    toml(2, 'whitelist', 'wrong');
    toml(3, 'PEM', 'ca.pem');
    toml(4, 'PEM', 'other.pem');
    toml(5, 'PKCS12', 'ca.p12');
    toml(6, 'PEM', 'gone.pem');
    const accounts = await open({ configPath: undefined, tomlPath: join(folder, 'keys') });
    expect(accounts.accounts.addresses()).toEqual([1, 3, 5].map(account).sort());
    expect(accounts.health().sources[0]).toMatchObject({ loaded: 3, errors: 3 });
    expect(vault.asked.filter((each) => each.endsWith('/key')).length).toBe(3);
    expect(lines.join('\n')).toContain('is not in the known servers file');
  });
});

it('keys of a file, a cloud and a vault stand side by side, in YAML and in TOML', async () => {
  const login = { tenantId: 'tenant', clientId: 'client', clientSecret: CANARY };
  const keyPath = '/v1/secret/data/key';
  const azure = kept(
    await azureStandIn({
      tenant: 'tenant',
      clientId: 'client',
      clientSecret: CANARY,
      keys: [key(2)],
    }),
  );
  const vault = kept(
    await vaultStandIn({
      ...{ rootToken: CANARY, roleId: 'role', secretId: CANARY, jwt: 'a.b.c' },
      secrets: { [keyPath]: { value: bareHex(secret(3)), more: bareHex(secret(4)) } },
    }),
  );
  const { hostname, port } = new URL(vault.url);
  yaml(
    { type: 'file-raw', privateKey: `"0x${bareHex(secret(1))}"` },
    {
      ...{ type: 'azure-key', keyName: 'key-2', vaultName: 'vault' },
      ...{ endpointOverride: azure.url, ...login },
    },
    { type: 'hashicorp', serverHost: hostname, serverPort: port, keyPath, token: CANARY },
  );
  const tomlPath = join(folder, 'toml');
  mkdirSync(tomlPath);
  const toml = (index: number, fields: string) =>
    writeFileSync(join(tomlPath, `${account(index).slice(2)}.toml`), `[signing]\n${fields}`);
  toml(
    4,
    `type = "hashicorp-signer"\nserverHost = "${hostname}"\nserverPort = ${port}\n` +
      `keyPath = "${keyPath}"\nkeyName = "more"\ntoken = "${CANARY}"\ntlsEnable = false\n`,
  );
  toml(5, `type = "raw-signer"\npriv-key = "${bareHex(secret(5))}"\n`);
  const accounts = await open({ tomlPath }, { env: { AZURE_AUTHORITY_HOST: azure.url } });
  const wanted = [1, 2, 3, 4, 5].map(account).sort();
  expect(accounts.accounts.addresses()).toEqual(wanted);
  for (const address of wanted) await signsAs(accounts, address, 1);
});
