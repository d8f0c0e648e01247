/** The OpenAPI 3.1 document of a service, generated from its operations. */
import type { RestOperation, RestParameter } from './operation.ts';

const JSON_TYPE = 'application/json';

export interface DocumentParts {
  readonly title: string;
  /** The security of operations that do not specify their own. */
  readonly security?: readonly object[];
  /** Schemas by name; one of them is `Error`. */
  readonly schemas: Readonly<Record<string, object>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

export function openApiDocument(
  operations: readonly RestOperation[],
  { title, security, schemas, securitySchemes }: DocumentParts,
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: documentOf(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // A URL relative to the address from which the document was fetched, so that it is valid behind
    // a proxy, too.
    servers: [{ url: '/' }],
    ...(security ? { security } : {}),
    paths,
    components: { schemas, securitySchemes },
  };
}

/** Content of a JSON body or answer. */
export function jsonContent(schema: object): object {
  return { [JSON_TYPE]: { schema } };
}

/** Refers to a schema of the document by its name. */
export function reference(schema: string): object {
  return { $ref: `#/components/schemas/${schema}` };
}

function documentOf(operation: RestOperation): object {
  const { id, summary, isOurs, security, parameters, body, answers, refusals = [] } = operation;
  return {
    ...(id === undefined ? {} : { operationId: id }),
    summary,
    ...(isOurs ? { 'x-quorate': true } : {}),
    ...(security ? { security } : {}),
    ...(parameters ? { parameters: parameters.map(parameterOf) } : {}),
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { about, content }]) => [
          status,
          { description: about, content },
        ]),
      ),
      ...Object.fromEntries(refusals.map((status) => [status, REFUSED])),
    },
  };
}

const REFUSED = { description: 'Refused', content: jsonContent(reference('Error')) };

function parameterOf({ name, in: place, required, schema, about }: RestParameter): object {
  return {
    name,
    in: place,
    ...(required === undefined ? {} : { required }),
    schema,
    ...(about === undefined ? {} : { description: about }),
  };
}
