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
import { awsStandIn } from '../../../../test/support/key-clouds.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';

beforeEach(openFolder);
afterEach(closeFolder);

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
