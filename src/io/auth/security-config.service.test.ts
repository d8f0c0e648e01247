import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseSecurityConfig, readPluginSettings } from './security-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'quorate-plugins-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return `file://${join(folder, name)}`;
}

/** The example in the plugin's documentation. */
const DOCUMENTED = {
  tls: {
    auto: false,
    certFile: 'server.crt',
    keyFile: 'env://KEY_FILE',
    advanced: { cipherSuites: ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'] },
  },
  tokenValidation: {
    issuers: ['http://goquorum.com/oauth'],
    cache: { limit: 20, expirationInSeconds: 60 },
    introspect: {
      endpoint: 'https://localhost:5000/oauth/introspect',
      authentication: {
        method: 'client_secret_basic',
        credentials: { clientId: 'quorum', clientSecret: 'env://SECRET' },
      },
      tlsConnection: { insecureSkipVerify: false, certFile: 'server.crt', caFile: 'ca.crt' },
    },
    jws: {
      endpoint: 'https://localhost:5000/keys',
      tlsConnection: { insecureSkipVerify: true },
    },
    jwt: { authorizationField: 'scp', preferIntrospection: true },
  },
};

it('reads the documented configuration, variables of the environment included', () => {
  const environment = { KEY_FILE: 'server.key', SECRET: 'admin' };
  expect(parseSecurityConfig(DOCUMENTED, environment)).toEqual({
    tls: {
      isMade: false,
      certFile: 'server.crt',
      keyFile: 'server.key',
      cipherSuites: ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
    },
    tokens: {
      issuers: ['http://goquorum.com/oauth'],
      audience: undefined,
      scopeField: 'scp',
      keys: {
        place: 'https://localhost:5000/keys',
        trust: { isUnchecked: true, certificates: [] },
      },
      introspection: {
        endpoint: 'https://localhost:5000/oauth/introspect',
        proof: { kind: 'basic', id: 'quorum', secret: 'admin' },
        trust: { isUnchecked: false, certificates: ['server.crt', 'ca.crt'] },
      },
      prefersIntrospection: true,
      cache: { entriesMax: 20, seconds: 60 },
    },
  });
});

it('has the documented defaults', () => {
  const config = parseSecurityConfig(
    { tls: { auto: true }, tokenValidation: { jws: { endpoint: 'https://localhost:5000/keys' } } },
    {},
  );
  expect(config.tls).toMatchObject({ isMade: true, certFile: 'cert.pem', keyFile: 'key.pem' });
  expect(config.tls!.cipherSuites).toHaveLength(4);
  expect(config.tokens).toMatchObject({
    scopeField: 'scope',
    prefersIntrospection: false,
    cache: { entriesMax: 80, seconds: 3_600 },
  });
});

it('finds the configuration inside the settings, in a file, or in a variable', () => {
  const security = (config: unknown) => ({
    baseDir: '/opt',
    providers: {
      security: { name: 'quorum-security-plugin-enterprise', version: '1.0.0', config },
    },
  });
  const config = file('security.json', DOCUMENTED);
  const environment = {
    SECRET: 'admin',
    CONFIG: JSON.stringify(DOCUMENTED),
    PLACE: config.slice('file://'.length),
  };
  const inFile = readPluginSettings(file('a.json', security(config)), environment);
  const inside = readPluginSettings(file('b.json', security(DOCUMENTED)), environment);
  const inVariable = readPluginSettings(file('c.json', security('env://CONFIG')), environment);
  const byVariable = readPluginSettings(
    file('d.json', security('env://PLACE?type=file')),
    environment,
  );
  for (const each of [inFile, inside, inVariable, byVariable]) {
    expect(each.tokens?.keys?.place).toBe('https://localhost:5000/keys');
  }
});

it.each([
  ['no such file', 'file:///nowhere/plugins.json', /cannot read \/nowhere\/plugins.json/],
  ['no URI', 'plugins.json', /unsupported URI plugins.json: give file:/],
])('refuses %s', (_, uri, text) => {
  expect(() => readPluginSettings(uri, {})).toThrow(text);
});

it('refuses providers that are not built in', () => {
  const uri = file('e.json', { providers: { helloworld: {} } });
  expect(() => readPluginSettings(uri, {})).toThrow(/plugin provider "helloworld"/);
});

it.each([
  [{}, /one of "tls" and "tokenValidation" must be configured/],
  [{ tokenValidation: {} }, /needs "jws" or "introspect"/],
  [{ tokenValidation: { jws: {} } }, /jws.endpoint is missing/],
  [{ tokenValidation: { introspect: { endpoint: 'x' } } }, /introspect.endpoint must be a URL/],
  [
    { tokenValidation: { introspect: { endpoint: 'https://x', authentication: { method: 'x' } } } },
    /method must be client_secret_basic/,
  ],
  [
    {
      tokenValidation: {
        introspect: {
          endpoint: 'https://x',
          authentication: { method: 'private_key', credentials: { keyFile: 'k' } },
        },
      },
    },
    /credentials.certFile is missing/,
  ],
  [{ tokenValidation: { jws: { endpoint: 'x' }, issuers: 'x' } }, /issuers must be an array/],
  [{ tokenValidation: { jws: { endpoint: 'x' }, cache: { limit: -1 } } }, /cache.limit/],
])('refuses %j', (content, text) => {
  expect(() => parseSecurityConfig(content, {})).toThrow(text);
});
