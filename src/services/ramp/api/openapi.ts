/** The OpenAPI 3.1 document of the service, made from its operations. */
import type { Operation, Parameter } from './operation.ts';
import { reference, SCHEMAS } from './schemas.ts';

export function openApiDocument(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    for (const [at, path] of operation.paths.entries()) {
      const entry = { ...paths[path] };
      entry[operation.method.toLowerCase()] = documentOf(operation, at);
      paths[path] = entry;
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quorate on- and off-ramp provider',
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Where the document was fetched from, behind a proxy too.
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        oauth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function documentOf(operation: Operation, at: number): object {
  const { id, summary, access, parameters, body, answer, refusals } = operation;
  const security = [{ oauth: [] }, { api_key: [] }];
  return {
    operationId: at === 0 ? id : `${id}Alias${at}`,
    summary,
    security: access === 'open' ? [{}, ...security] : security,
    parameters: parameters.map(parameterOf),
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      200: {
        description: summary,
        content: answer ? json(answer) : { 'text/html': { schema: { type: 'string' } } },
      },
      ...Object.fromEntries(
        refusals.map((status) => [
          status,
          { description: 'Refused', content: json(reference('Error')) },
        ]),
      ),
    },
  };
}

function parameterOf({ name, in: place, required, schema, about }: Parameter): object {
  return { name, in: place, required, schema, description: about };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}
