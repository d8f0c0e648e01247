/** The REST operations of all services, from the rows that serve them. */
import type { Route } from '../../src/io/http/server.ts';
import { adminRoutes } from '../../src/services/ptm/api/admin.ts';
import { commonRoutes } from '../../src/services/ptm/api/common.ts';
import { comparisonRoutes } from '../../src/services/ptm/api/comparison.ts';
import { groupRoutes } from '../../src/services/ptm/api/groups.ts';
import { p2pRoutes } from '../../src/services/ptm/api/p2p.ts';
import { q2tRoutes } from '../../src/services/ptm/api/q2t.ts';
import { thirdPartyRoutes } from '../../src/services/ptm/api/third-party.ts';
import { rampDocument } from '../../src/services/ramp/api/openapi.ts';
import { operationsOf } from '../../src/services/ramp/api/operations.ts';
import { restRoutes } from '../../src/services/signer/rest/routes.ts';
import { stakingDocument } from '../../src/services/staking/stakes/openapi.ts';
import { tableCell } from '../table-cell.ts';
import { schemaWords } from './schema-words.ts';

type Schema = Parameters<typeof schemaWords>[0];

interface DocumentedOperation {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** Stands for the parts of a service: routes are only listed here, none is called. */
const NOTHING: never = new Proxy(() => NOTHING, {
  get: (_, name) => (name === Symbol.iterator ? [][Symbol.iterator] : NOTHING),
  apply: () => NOTHING,
  construct: () => NOTHING,
}) as never;

export function restPage(): string {
  return [
    '# REST operations',
    '',
    'Of each service, from the rows that serve them. The staking API and the ramp publish theirs as an OpenAPI 3.1 document at',
    '`/openapi.json`.',
    '',
    '## Staking API and token service',
    '',
    ...documented(stakingDocument({ issuer: 'http://127.0.0.1:8550' })),
    '## On- and off-ramp',
    '',
    ...documented(rampDocument(operationsOf({ verifyPaths: ['/verify-user'] } as never))),
    '## Private transaction manager: Q2T',
    '',
    'For its node. Whoever reaches this server can read the node’s payloads.',
    '',
    ...routeTable([
      ...q2tRoutes(NOTHING, NOTHING, NOTHING),
      ...groupRoutes(NOTHING),
      ...comparisonRoutes(NOTHING),
    ]),
    '## Private transaction manager: ThirdParty',
    '',
    ...routeTable(thirdPartyRoutes(NOTHING, NOTHING)),
    '## Private transaction manager: P2P',
    '',
    'For other managers.',
    '',
    ...routeTable(p2pRoutes(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)),
    '## Private transaction manager: ADMIN',
    '',
    ...routeTable(adminRoutes(NOTHING)),
    '## Private transaction manager: every server',
    '',
    ...routeTable(commonRoutes({ enhancements: true } as never, () => true)),
    '## Signing proxy',
    '',
    'Beside JSON-RPC on `/`.',
    '',
    ...routeTable(restRoutes(NOTHING).routes),
  ].join('\n');
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

function documented(document: object): string[] {
  const { paths, components } = document as OpenApiDocument;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => [
      `### \`${method.toUpperCase()} ${path}\``,
      '',
      operation.summary,
      '',
      ...parameterTable(operation),
      ...answerTable(operation),
    ]),
  );
  return [...operations, ...Object.entries(components.schemas).flatMap(schemaTable)];
}

function schemaTable([name, schema]: [string, Schema]): string[] {
  const { properties, required = [] } = schema as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  const rows = Object.entries(properties ?? {}).map(([field, type]) => {
    const isRequired = required.includes(field) ? 'always' : '';
    const about = typeof type.description === 'string' ? type.description : '';
    return `| \`${field}\` | ${tableCell(schemaWords(type))} | ${isRequired} | ${tableCell(about)} |`;
  });
  const lines = [`### ${name}`, ''];
  if (rows.length === 0) return [...lines, `${schemaWords(schema)}.`, ''];
  return [...lines, '| field | type | present | |', '|---|---|---|---|', ...rows, ''];
}

function parameterTable({ parameters = [], requestBody }: DocumentedOperation): string[] {
  const rows = parameters.map(
    ({ name, in: place, required, schema, description = '' }) =>
      `| \`${name}\` | ${place}${required ? ', required' : ''} | ${tableCell(schemaWords(schema))} | ${tableCell(description)} |`,
  );
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    rows.push(`| body | \`${type}\` | ${schema ? tableCell(schemaWords(schema)) : ''} | |`);
  }
  return rows.length === 0
    ? []
    : ['| parameter | where | type | |', '|---|---|---|---|', ...rows, ''];
}

function answerTable({ responses }: DocumentedOperation): string[] {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const schemas = Object.values(content).map(({ schema }) => (schema ? schemaWords(schema) : ''));
    return `| ${status} | ${tableCell(description)} | ${tableCell([...new Set(schemas)].join(', '))} |`;
  });
  return ['| status | | answer |', '|---|---|---|', ...rows, ''];
}

function routeTable(routes: readonly Route[]): string[] {
  const rows = routes.map(
    ({ method, path, about = '' }) =>
      `| \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\` | ${tableCell(about)} |`,
  );
  return ['| operation | |', '|---|---|', ...new Set(rows), ''];
}
