/** The JSON-RPC methods of a node, from their rows. */
import type { Method } from '../../src/io/rpc/method.ts';
import type { Context } from '../../src/services/ledger/api/context.ts';
import { TABLE } from '../../src/services/ledger/api/table.ts';
import { tableCell } from '../table-cell.ts';
import { schemaWords } from './schema-words.ts';

const ACCESS = {
  view: 'reads',
  send: 'sends for an account',
  admin: 'changes or inspects the node',
} as const;

export function rpcPage(): string {
  const byNamespace = new Map<string, Method<Context>[]>();
  for (const row of TABLE.methods) {
    const namespace = namespaceOf(row.names[0]!);
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), row]);
  }
  const rooms = [...byNamespace].sort(([a], [b]) => a.localeCompare(b));
  return [
    '# JSON-RPC methods',
    '',
    'Each method that a node serves, where its namespace is enabled (`--http.api`, `--ws.api`; the IPC socket serves all). Names',
    'in the same heading are the same method. `rpc.discover` answers this list as an OpenRPC document, and so does',
    '`GET /openrpc.json`. How parameters and answers look: *quantity* is hex without leading zeros, *data* is hex of whole bytes,',
    'both with `0x`. The kind says which right a token needs: [access control](access-control.md).',
    '',
    ...rooms.flatMap(([namespace, methods]) => [
      `## ${namespace}`,
      '',
      ...methods.flatMap(methodLines),
    ]),
    ...subscriptionLines(),
  ].join('\n');
}

function namespaceOf(name: string): string {
  return name.split(/[_.]/)[0]!;
}

function methodLines({ names, about, params, result, access }: Method<Context>): string[] {
  const lines = [`### ${names.map((name) => `\`${name}\``).join(', ')}`, '', about, ''];
  if (params.length > 0) {
    lines.push('| parameter | type | |', '|---|---|---|');
    for (const { name, schema, isOptional } of params) {
      lines.push(
        `| \`${name}\` | ${tableCell(schemaWords(schema))} | ${isOptional ? 'optional' : ''} |`,
      );
    }
    lines.push('');
  }
  lines.push(`Answers: ${schemaWords(result)}. Kind: ${ACCESS[access]}.`, '');
  return lines;
}

function subscriptionLines(): string[] {
  const rows = TABLE.subscriptions.map(
    ({ namespaces, kind, params, about }) =>
      `| ${namespaces.map((each) => `\`${each}_subscribe\``).join(', ')} | \`${kind}\`${params.map(({ name }) => `, \`${name}\``).join('')} | ${tableCell(about)} |`,
  );
  return [
    '## Subscriptions',
    '',
    '| method | parameters | notifications |',
    '|---|---|---|',
    ...rows,
    '',
  ];
}
