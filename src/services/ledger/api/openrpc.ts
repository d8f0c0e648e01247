/** `rpc.discover`: the OpenRPC document of this node, made from the method table. */
import type { Table } from '../../../io/rpc/dispatcher.ts';
import type { Json, Method } from '../../../io/rpc/method.ts';
import { type Context, method } from './context.ts';
import { OBJECT } from './results.ts';

const OPENRPC_VERSION = '1.3.2';

function describe(name: string, row: Method<Context>): Json {
  return {
    name,
    summary: row.about,
    paramStructure: 'by-position',
    params: row.params.map((param) => ({
      name: param.name,
      required: !param.isOptional,
      schema: param.schema as Json,
    })),
    result: { name: 'result', schema: row.result as Json },
  };
}

/**
 * The document of the methods of these namespaces. `clientVersion` is such as `Quorate/v0.1.0/…`.
 */
export function openRpcOf(
  table: Table<Context>,
  namespaces: ReadonlySet<string>,
  clientVersion: string,
): Json {
  const version = clientVersion.split('/')[1] ?? '';
  const methods = table.methods.flatMap((row) =>
    row.names
      .filter((name) => namespaces.has(name.split(/[_.]/)[0]!))
      .map((name) => describe(name, row)),
  );
  return { openrpc: OPENRPC_VERSION, info: { title: 'Quorate JSON-RPC', version }, methods };
}

/** `table` is a function because it contains this method itself. */
export function discoverMethod(table: () => Table<Context>): Method<Context> {
  return method(['rpc.discover', 'rpc_discover'], {
    params: [],
    result: OBJECT,
    about: 'This document.',
    call: ({ namespaces, admin }) => openRpcOf(table(), namespaces, admin.info().clientVersion),
  });
}
