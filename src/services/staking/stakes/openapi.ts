/** The OpenAPI 3.1 document that the service publishes. Our own extensions are marked x-quorate. */
import { openApiDocument } from '../../../io/rest/openapi.ts';
import { CLIENT_SCHEME, SERVICE_OPERATIONS, TOKEN_OPERATIONS } from '../token/operations.ts';
import { TOKEN_SCHEMAS } from '../token/schemas.ts';
import { SCOPE, STAKE_OPERATIONS } from './operations.ts';
import { STAKE_SCHEMAS } from './schemas.ts';

export function stakingDocument(place: { readonly issuer: string }): object {
  const tokenUrl = `${place.issuer.replace(/\/$/, '')}/oauth/token`;
  return openApiDocument([...TOKEN_OPERATIONS, ...SERVICE_OPERATIONS, ...STAKE_OPERATIONS], {
    title: 'Quorate staking API',
    security: [{ token: [SCOPE.read] }],
    schemas: { ...TOKEN_SCHEMAS, ...STAKE_SCHEMAS },
    securitySchemes: {
      client: CLIENT_SCHEME,
      token: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl,
            scopes: { [SCOPE.read]: 'Read stakes and rewards', [SCOPE.write]: 'Stake' },
          },
        },
      },
    },
  });
}
