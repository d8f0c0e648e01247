import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate, pkcs12 } from '../../../../test/support/certificates.ts';
import {
  account,
  CANARY,
  closeFolder,
  folder,
  kept,
  lines,
  open,
  openFolder,
  secret,
  signsAs,
  yaml,
} from '../../../../test/support/cloud-scene.ts';
import { vaultStandIn } from '../../../../test/support/key-clouds.ts';
import { bareHex } from '../../../core/base/hex.ts';

beforeEach(openFolder);
afterEach(closeFolder);

describe('HashiCorp Vault (stand-in)', () => {
  const jwt = 'header.service.account';

  it('gives keys for a token, by AppRole and from Kubernetes; gets new tokens and renews them', async () => {
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
    // The two keys whose tokens the vault forgot, and the one with a wrong secret id.
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
