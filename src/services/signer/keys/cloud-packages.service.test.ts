import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { systemClock } from '../../../io/host/clock.ts';
import { awsCredentialChain } from '../../../io/keys/aws-credentials.ts';
import { AzureLogin } from '../../../io/keys/azure-login.ts';
import { GcpLogin } from '../../../io/keys/gcp-kms.ts';
import { openVaultClient } from '../../../io/keys/vault-client.ts';

/** Folder with the clouds' own packages; undefined: those that are installed here. */
const FOLDER = process.env.QUORATE_TEST_PACKAGES;
const load = async (name: string) =>
  createRequire(FOLDER === undefined ? import.meta.url : join(FOLDER, 'x.js'))(name);

const cleanups: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A cloud machine's metadata service: answers by path. */
async function machine(
  answer: (path: string, request: IncomingMessage) => string | object | undefined,
): Promise<string> {
  const server = createServer((request, response) => {
    const found = answer(new URL(request.url!, 'http://x').pathname, request);
    response.statusCode = found === undefined ? 404 : 200;
    response.setHeader('metadata-flavor', 'Google');
    response.setHeader(
      'content-type',
      typeof found === 'string' ? 'text/plain' : 'application/json',
    );
    response.end(typeof found === 'string' ? found : JSON.stringify(found ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Skips the test if a package is not installed: only users of these clouds install them. */
async function needs(name: string, { skip }: TestContext): Promise<void> {
  await load(name).catch(() => skip(`the package ${name} is not installed`));
}

/** Records the Authorization headers that arrive, which show the token in use. */
function bearerSeen() {
  const seen: (string | undefined)[] = [];
  return {
    seen,
    answer: (request: IncomingMessage) => {
      seen.push(request.headers.authorization);
      return {};
    },
  };
}

describe("clouds' own packages", () => {
  it("@aws-sdk/credential-providers finds a container's credentials", async (context) => {
    await needs('@aws-sdk/credential-providers', context);
    let asked = 0;
    const host = await machine((path, { headers }) => {
      if (path !== '/creds' || headers.authorization !== 'the-container') return undefined;
      asked += 1;
      return {
        AccessKeyId: 'AKID',
        SecretAccessKey: 'hidden',
        Token: 'session',
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      };
    });
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://${host}/creds`);
    vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'the-container');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('HOME', '/nowhere');
    const chain = awsCredentialChain({ region: 'eu-west-1', env: {}, clock: systemClock, load });
    const wanted = {
      region: 'eu-west-1',
      accessKeyId: 'AKID',
      secretAccessKey: 'hidden',
      sessionToken: 'session',
    };
    expect(await chain()).toEqual(wanted);
    expect(await chain()).toEqual(wanted);
    expect(asked).toBe(1);
  });

  it('@azure/identity finds the identity of an app service', async (context) => {
    await needs('@azure/identity', context);
    const { seen, answer } = bearerSeen();
    const host = await machine((path, request) => {
      if (path === '/vault') return answer(request);
      if (path !== '/msi' || request.headers['x-identity-header'] !== 'the-app') return undefined;
      const expires = Math.floor(Date.now() / 1000) + 3600;
      return { access_token: 'of-the-app', expires_on: String(expires), token_type: 'Bearer' };
    });
    vi.stubEnv('IDENTITY_ENDPOINT', `http://${host}/msi`);
    vi.stubEnv('IDENTITY_HEADER', 'the-app');
    const client = openVaultClient();
    cleanups.push(() => client.close());
    const login = new AzureLogin({
      identity: { kind: 'default' },
      ask: client.ask,
      env: {},
      clock: systemClock,
      load,
    });
    await login.request('GET', new URL(`http://${host}/vault`));
    expect(seen).toEqual(['Bearer of-the-app']);
  });

  it("google-auth-library finds a machine's service account", async (context) => {
    await needs('google-auth-library', context);
    const { seen, answer } = bearerSeen();
    const host = await machine((path, request) => {
      if (path === '/kms') return answer(request);
      if (path.endsWith('/token')) {
        return { access_token: 'of-the-machine', expires_in: 3600, token_type: 'Bearer' };
      }
      if (path.endsWith('/email')) return 'machine@project.iam.gserviceaccount.com';
      if (path.endsWith('/universe-domain')) return 'googleapis.com';
      return path.startsWith('/computeMetadata/v1') ? 'project' : undefined;
    });
    vi.stubEnv('GCE_METADATA_HOST', host);
    vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
    vi.stubEnv('HOME', '/nowhere');
    vi.stubEnv('CLOUDSDK_CONFIG', '/nowhere');
    const client = openVaultClient();
    cleanups.push(() => client.close());
    const login = new GcpLogin({
      credentialsPath: undefined,
      ask: client.ask,
      env: {},
      clock: systemClock,
      load,
    });
    await login.request('GET', new URL(`http://${host}/kms`));
    expect(seen).toEqual(['Bearer of-the-machine']);
  });
});
