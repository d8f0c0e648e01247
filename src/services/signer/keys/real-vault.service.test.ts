import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RealVault, startRealVault } from '../../../../test/support/real-vault.ts';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { addressOfSecretKey, recoverAddress } from '../../../core/base/secp256k1.ts';
import { openVault } from '../../../io/keys/vault.ts';
import { openAccounts } from './accounts.ts';

const SECRETS = [1, 2].map((index) => keccak256(Uint8Array.of(9, index)));
const ACCOUNTS = SECRETS.map((secret) => toHex(addressOfSecretKey(secret)));

/** Calls the vault's own interface, as an operator would. */
async function call({ url, token }: RealVault, method: string, path: string, body?: object) {
  const answer = await fetch(`${url}/v1/${path}`, {
    method,
    headers: { 'X-Vault-Token': token },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.status).toBeLessThan(300);
  const text = await answer.text();
  return text === '' ? {} : JSON.parse(text);
}

async function prepare(vault: RealVault) {
  const put = (name: string, data: object) => call(vault, 'POST', `secret/data/${name}`, { data });
  await put('team/one', { value: bareHex(SECRETS[0]!) });
  await put('team/two', { other: toHex(SECRETS[1]!) });
  const policy = 'path "secret/data/team/*" { capabilities = ["read", "create", "update"] }';
  await call(vault, 'PUT', 'sys/policies/acl/signer', { policy });
  await call(vault, 'POST', 'sys/auth/approle', { type: 'approle' });
  const role = { token_policies: 'signer', token_ttl: '3s', token_max_ttl: '1h' };
  await call(vault, 'POST', 'auth/approle/role/signer', role);
  const { data: roleData } = await call(vault, 'GET', 'auth/approle/role/signer/role-id');
  const { data: secretData } = await call(vault, 'POST', 'auth/approle/role/signer/secret-id');
  const made = await call(vault, 'POST', 'auth/token/create', { policies: ['signer'], ttl: '3s' });
  return {
    roleId: roleData.role_id as string,
    secretId: secretData.secret_id as string,
    token: made.auth.client_token as string,
  };
}

describe('a real HashiCorp Vault', () => {
  it('gives keys by token and by AppRole, and both outlive their first time to live', async ({
    skip,
  }) => {
    const vault = (await startRealVault()) ?? skip('there is no `vault` or `bao` on the PATH');
    const folder = mkdtempSync(join(tmpdir(), 'signer-vault-'));
    try {
      const { roleId, secretId, token } = await prepare(vault);
      const { hostname, port } = new URL(vault.url);
      const base = `type: hashicorp\nkeyType: SECP256K1\nserverHost: ${hostname}\nserverPort: ${port}\n`;
      const approle = `authMethod: APPROLE\nappRoleId: ${roleId}\nappRoleSecretId: ${secretId}\n`;
      const put = (name: string, text: string) => writeFileSync(join(folder, name), base + text);
      put('1.yaml', `keyPath: /v1/secret/data/team/one\ntoken: ${token}\n`);
      put('2.yaml', `keyPath: /v1/secret/data/team/two\nkeyName: other\n${approle}`);
      put('3.yaml', `keyPath: /v1/secret/data/team/none\ntoken: ${token}\n`);
      put('4.yaml', `keyPath: /v1/secret/data/elsewhere\ntoken: ${token}\n`);
      put('5.yaml', `keyPath: /v1/secret/data/team/one\ntoken: ${token}x\n`);
      put(
        '6.yaml',
        `keyPath: /v1/secret/data/team/one\nauthMethod: APPROLE\nappRoleId: x\nappRoleSecretId: y\n`,
      );
      const lines: string[] = [];
      const log = (_level: string, message: string, fields = {}) =>
        void lines.push(`${message} ${Object.values(fields).join(' ')}`);
      const opened = await openAccounts({ configPath: folder }, { log });
      try {
        expect(opened.accounts.addresses()).toEqual([...ACCOUNTS].sort());
        expect(opened.health().sources[0]!.errors).toBe(4);
        for (const account of ACCOUNTS) {
          const digest = keccak256(Uint8Array.of(1));
          const signature = await opened.accounts.find(account)!.sign(digest);
          expect(toHex(recoverAddress(digest, signature)!)).toBe(account);
        }
        // Tokens expire after three seconds unless they are renewed.
        const started = Date.now();
        while (Date.now() - started < 4500) await call(vault, 'GET', 'sys/health');
        expect(await opened.reload()).toEqual({ loaded: 2, errors: 4 });
        const told = lines.join('\n');
        expect(told).toContain('Requested Secret name does not exist.');
        expect(told).toContain('Received invalid Http status code 403.');
        expect(told).toContain('the AppRole login with status 400');
        for (const hidden of [token, secretId, ...SECRETS.map(bareHex)]) {
          expect(told).not.toContain(hidden);
        }
      } finally {
        opened.close();
      }
      await keepsManagersKeys(vault, roleId, secretId);
    } finally {
      vault.close();
      rmSync(folder, { recursive: true });
    }
  });
});

/** The private transaction manager's keys use the same connection code. */
async function keepsManagersKeys({ url }: RealVault, roleId: string, secretId: string) {
  const env = { HASHICORP_ROLE_ID: roleId, HASHICORP_SECRET_ID: secretId };
  const vault = openVault({ type: 'HASHICORP', url }, env);
  try {
    await vault.set({ name: 'team/tm' }, { publicKey: 'pub', privateKey: 'priv' });
    expect(await vault.get({ name: 'team/tm', field: 'privateKey' })).toBe('priv');
    await expect(vault.get({ name: 'team/gone' })).rejects.toMatchObject({
      code: 'VAULT_SECRET_MISSING',
    });
  } finally {
    vault.close();
  }
}
