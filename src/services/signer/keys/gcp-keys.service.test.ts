import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
import { gcpStandIn } from '../../../../test/support/key-clouds.ts';

beforeEach(openFolder);
afterEach(closeFolder);

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
