/** oidc-provider with client credentials and one resource, as a process of its own: PORT ALGORITHM SECRET. */
import { exportJWK, generateKeyPair } from 'jose';

// It has no types of its own.
const { default: Provider } = (await import('oidc-provider' as string)) as any;

const [port, algorithm, secret] = process.argv.slice(2);
const { privateKey } = await generateKeyPair(algorithm!, {
  extractable: true,
  modulusLength: 2048,
});
const provider = new Provider(`http://127.0.0.1:${port}`, {
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
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig', kid: 'bench' }] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: '',
        audience: 'urn:bench',
        accessTokenTTL: 86_400,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: algorithm } },
      }),
    },
  },
});
provider.listen(Number(port), '127.0.0.1');
