import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  account,
  CANARY,
  closeFolder,
  kept,
  key,
  lines,
  open,
  openFolder,
  secret,
  signsAs,
  yaml,
} from '../../../../test/support/cloud-scene.ts';
import { azureStandIn } from '../../../../test/support/key-clouds.ts';
import { bareHex } from '../../../core/base/hex.ts';

beforeEach(openFolder);
afterEach(closeFolder);

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
    // One login for all keys of the same client.
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
