/**
 * Parameter kinds of the ledger's methods: each parses, documents itself, and fails with GoQuorum's
 * text.
 */

import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { type JsonSchema, type Param, ParamError } from '../../../io/rpc/method.ts';
import { type BlockTag, LATEST } from '../view/block-tag.ts';

function param<T>(name: string, schema: JsonSchema, parse: (value: unknown) => T): Param<T> {
  return { name, schema, isOptional: false, parse };
}

/** `fallback` replaces an omitted or null value. */
export function optional<T, F>(row: Param<T>, fallback: F): Param<T | F> {
  return {
    ...row,
    isOptional: true,
    parse: (value) => (value === undefined ? fallback : row.parse(value)),
  };
}

export function named<T>(name: string, row: Param<T>): Param<T> {
  return { ...row, name };
}

/**
 * Go's wording for a JSON value of the wrong kind. `into` is such as `Go value of type
 * common.Hash`.
 */
function mismatch(value: unknown, into: string): ParamError {
  return new ParamError(`json: cannot unmarshal ${kindOf(value)} into ${into}`);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

/** Parses hex digits of a `hexutil` type; `into` as in mismatch(). */
export function hexBytes(value: unknown, into: string): Uint8Array {
  if (typeof value !== 'string')
    throw new ParamError(`json: cannot unmarshal non-string into ${into}`);
  const complain = (what: string) => new ParamError(`json: cannot unmarshal ${what} into ${into}`);
  if (value !== '' && !/^0x/i.test(value)) throw complain('hex string without 0x prefix');
  if (value.length % 2 !== 0) throw complain('hex string of odd length');
  try {
    return fromHex(value);
  } catch {
    throw complain('invalid hex string');
  }
}

/** Exactly `length` bytes; `type` is the name of the Go type. */
export function fixedBytes(
  value: unknown,
  length: number,
  type: string,
  into = `Go value of type ${type}`,
): Uint8Array {
  if (typeof value === 'string' && value === '') {
    throw new ParamError(`json: cannot unmarshal empty hex string into ${into}`);
  }
  const bytes = hexBytes(value, into);
  if (bytes.length !== length) {
    throw new ParamError(
      `hex string has length ${bytes.length * 2}, want ${length * 2} for ${type}`,
    );
  }
  return bytes;
}

/**
 * Parses a hexutil quantity (`0x1f`) without leading zeros. Throws only the error's text, as for
 * block numbers.
 */
function parseQuantity(value: string): bigint {
  if (value === '') throw new ParamError('empty hex string');
  if (!/^0x/i.test(value)) throw new ParamError('hex string without 0x prefix');
  if (value.length === 2) throw new ParamError('hex string "0x"');
  if (value.length > 3 && value[2] === '0')
    throw new ParamError('hex number with leading zero digits');
  if (!/^0x[0-9a-f]+$/i.test(value)) throw new ParamError('invalid hex string');
  return BigInt(value.toLowerCase());
}

/**
 * A quantity inside an argument object; numbers and decimal strings are accepted too if they are
 * exact.
 */
export function fieldQuantity(value: unknown, into: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value !== 'string')
    throw new ParamError(`json: cannot unmarshal non-string into ${into}`);
  const bits = /Uint/.test(into) ? 64 : 256;
  try {
    const parsed = /^[0-9]{1,78}$/.test(value) ? BigInt(value) : parseQuantity(value);
    if (parsed >> BigInt(bits) !== 0n) throw new ParamError(`hex number > ${bits} bits`);
    return parsed;
  } catch (error) {
    throw new ParamError(`json: cannot unmarshal ${(error as Error).message} into ${into}`);
  }
}

export const address: Param<Address> = param(
  'address',
  { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  (value) => fixedBytes(value, 20, 'common.Address'),
);

export const hash: Param<Hash32> = param(
  'hash',
  { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
  (value) => fixedBytes(value, 32, 'common.Hash'),
);

export const data: Param<Uint8Array> = param(
  'data',
  { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' },
  (value) => hexBytes(value, 'Go value of type hexutil.Bytes'),
);

export const bool: Param<boolean> = param('flag', { type: 'boolean' }, (value) => {
  if (typeof value !== 'boolean') throw mismatch(value, 'Go value of type bool');
  return value;
});

export const text: Param<string> = param('text', { type: 'string' }, (value) => {
  if (typeof value !== 'string') throw mismatch(value, 'Go value of type string');
  return value;
});

export const quantity: Param<bigint> = param(
  'quantity',
  { type: 'string', pattern: '^0x[0-9a-f]+$' },
  (value) => fieldQuantity(value, 'Go value of type hexutil.Uint64'),
);

export const index: Param<number> = param(
  'index',
  { type: 'string', pattern: '^0x[0-9a-f]+$' },
  (value) => {
    const parsed = fieldQuantity(value, 'Go value of type hexutil.Uint');
    return parsed > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(parsed);
  },
);

export const number: Param<number> = param('number', { type: 'integer' }, (value) => {
  if (typeof value !== 'number') throw mismatch(value, 'Go value of type uint64');
  if (!Number.isInteger(value) || value < 0) {
    throw new ParamError(`json: cannot unmarshal number ${value} into Go value of type uint64`);
  }
  return value;
});

/** Unsigned integers with the range of Go's uint8 and uint16. */
export function unsigned(bits: 8 | 16): Param<number> {
  const into = `Go value of type uint${bits}`;
  const maximum = 2 ** bits - 1;
  return param(`uint${bits}`, { type: 'integer', minimum: 0, maximum }, (value) => {
    if (typeof value !== 'number') throw mismatch(value, into);
    if (!Number.isInteger(value) || value < 0 || value > maximum)
      throw new ParamError(`json: cannot unmarshal number ${value} into ${into}`);
    return value;
  });
}

/** Any JSON value. */
export const json: Param<unknown> = param('value', {}, (value) => value);

const MAX_INT64 = (1n << 63n) - 1n;

function parseBlockNumber(value: unknown): BlockTag {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { kind: 'number', number: value };
  if (typeof value !== 'string') throw mismatch(value, 'Go value of type string');
  switch (value) {
    case 'latest':
    case 'safe':
    case 'finalized':
      return LATEST;
    case 'earliest':
      return { kind: 'number', number: 0 };
    case 'pending':
      return { kind: 'pending' };
  }
  const parsed = parseQuantity(value);
  if (parsed > MAX_INT64) throw new ParamError('block number larger than int64');
  return {
    kind: 'number',
    number: parsed > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(parsed),
  };
}

const BLOCK_SCHEMA: JsonSchema = {
  oneOf: [
    { type: 'string', enum: ['latest', 'earliest', 'pending', 'safe', 'finalized'] },
    { type: 'string', pattern: '^0x[0-9a-f]+$' },
    { type: 'integer' },
  ],
};

/** A block by number or tag; `latest` when omitted. */
export const blockNumber: Param<BlockTag> = optional(
  param('block', BLOCK_SCHEMA, parseBlockNumber),
  LATEST,
);
/** Like `blockNumber`, but it may not be omitted. */
export const requiredBlockNumber: Param<BlockTag> = param('block', BLOCK_SCHEMA, parseBlockNumber);

/** A block by number, tag, hash, or EIP-1898 object; `latest` when omitted. */
export const blockTag: Param<BlockTag> = optional(
  param('block', { oneOf: [BLOCK_SCHEMA, { type: 'object' }] }, (value): BlockTag => {
    if (typeof value === 'string' && value.length === 66) {
      return { kind: 'hash', hash: fixedBytes(value, 32, 'common.Hash'), requireCanonical: false };
    }
    if (value === null || typeof value !== 'object') return parseBlockNumber(value);
    const given = value as {
      blockNumber?: unknown;
      blockHash?: unknown;
      requireCanonical?: unknown;
    };
    if (given.blockHash !== undefined && given.blockNumber !== undefined) {
      throw new ParamError(
        'cannot specify both BlockHash and BlockNumber, choose one or the other',
      );
    }
    if (given.blockNumber !== undefined) return parseBlockNumber(given.blockNumber);
    if (given.blockHash === undefined)
      throw fail('BLOCK_UNNAMED', 'invalid arguments; neither block nor hash specified');
    const blockHash = fixedBytes(
      given.blockHash,
      32,
      'common.Hash',
      'Go struct field erased.blockHash of type common.Hash',
    );
    return { kind: 'hash', hash: blockHash, requireCanonical: given.requireCanonical === true };
  }),
  LATEST,
);
