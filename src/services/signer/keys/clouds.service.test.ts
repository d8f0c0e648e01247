import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  account,
  CANARY,
  closeFolder,
  folder,
  kept,
  key,
  open,
  openFolder,
  secret,
  signsAs,
  yaml,
} from '../../../../test/support/cloud-scene.ts';
import { azureStandIn, vaultStandIn } from '../../../../test/support/key-clouds.ts';
import { bareHex } from '../../../core/base/hex.ts';

beforeEach(openFolder);
afterEach(closeFolder);

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
