/** The OpenAPI 3.1 document of the service, made from its operations. */
import { jsonContent, openApiDocument } from '../../../io/rest/openapi.ts';
import type { RestOperation } from '../../../io/rest/operation.ts';
import type { Operation } from './operation.ts';
import { SCHEMAS } from './schemas.ts';

const SECURITY = [{ oauth: [] }, { api_key: [] }];
const PAGE = { 'text/html': { schema: { type: 'string' } } };

export function rampDocument(operations: readonly Operation[]): object {
  return openApiDocument(operations.flatMap(rowsOf), {
    title: 'Quorate on- and off-ramp provider',
    schemas: SCHEMAS,
    securitySchemes: {
      oauth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    },
  });
}

/** One row per path of an operation. */
function rowsOf(operation: Operation): readonly RestOperation[] {
  const { id, method, paths, summary, access, parameters, body, answer, refusals } = operation;
  return paths.map((path, at) => ({
    id: at === 0 ? id : `${id}Alias${at}`,
    method,
    path,
    summary,
    security: access === 'open' ? [{}, ...SECURITY] : SECURITY,
    parameters,
    ...(body ? { body: jsonContent(body) } : {}),
    answers: { 200: { about: summary, content: answer ? jsonContent(answer) : PAGE } },
    refusals,
  }));
}
