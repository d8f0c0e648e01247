/**
 * oidc-provider with client credentials and one resource, and a route that requires its tokens,
 * verified with jose as its users do: a process of its own, PORT ALGORITHM SECRET.
 */
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
// @ts-expect-error It has no types of its own.
import Provider from 'oidc-provider';

const [port, algorithm, secret] = process.argv.slice(2);
const AUDIENCE = 'urn:bench';
const { privateKey, publicKey } = await generateKeyPair(algorithm!, {
  extractable: true,
  modulusLength: 2048,
});
const key = { alg: algorithm!, use: 'sig', kid: 'bench' };
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'bench',
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: algorithm,
    },
  ],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), ...key }] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: '',
        audience: AUDIENCE,
        accessTokenTTL: 86_400,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: algorithm } },
      }),
    },
  },
});
const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), ...key }] });
provider.use(async (context: any, next: () => Promise<void>) => {
  if (context.path !== '/stakes') return next();
  const token = context.get('authorization').slice('Bearer '.length);
  await jwtVerify(token, keys, { issuer, audience: AUDIENCE, typ: 'at+jwt' });
  const isRefused = context.query.limit === '0';
  context.status = isRefused ? 400 : 200;
  context.body = isRefused ? { error: 'invalid_request' } : { data: [], next: null };
});
provider.listen(Number(port), '127.0.0.1');
