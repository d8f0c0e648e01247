/** JSON Schemas of results, for OpenRPC and the docs. */
import type { JsonSchema } from '../../../io/rpc/method.ts';

export const NULL: JsonSchema = { type: 'null' };
export const BOOL: JsonSchema = { type: 'boolean' };
export const TEXT: JsonSchema = { type: 'string' };
export const OBJECT: JsonSchema = { type: 'object' };
export const ARRAY: JsonSchema = { type: 'array' };
export const NUMBER: JsonSchema = { type: 'integer' };
export const QUANTITY: JsonSchema = { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' };
export const DATA: JsonSchema = { type: 'string', pattern: '^0x([0-9a-f]{2})*$' };
export const ADDRESS: JsonSchema = { type: 'string', pattern: '^0x[0-9a-f]{40}$' };
export const HASH: JsonSchema = { type: 'string', pattern: '^0x[0-9a-f]{64}$' };

function titled(title: string, required: readonly string[]): JsonSchema {
  return { type: 'object', title, required };
}

export const BLOCK: JsonSchema = titled('Block', ['number', 'hash', 'parentHash', 'transactions']);
export const HEADER: JsonSchema = titled('Header', ['number', 'hash', 'parentHash']);
export const TRANSACTION: JsonSchema = titled('Transaction', ['hash', 'from', 'nonce', 'input']);
export const RECEIPT: JsonSchema = titled('Receipt', ['transactionHash', 'status', 'logs']);
export const LOG: JsonSchema = titled('Log', ['address', 'topics', 'data']);

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { oneOf: [schema, NULL] };
}
