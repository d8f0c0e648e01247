/** How values of the schema's own scalar types are parsed and serialised. */
import { type ConstValueNode, GraphQLError, Kind } from 'graphql';
import { fromHex, toHex, toQuantity } from '../../../core/base/hex.ts';

interface Coercion {
  readonly parseValue: (value: unknown) => unknown;
  readonly parseLiteral: (node: ConstValueNode) => unknown;
  readonly serialize: (value: unknown) => unknown;
}

function coercion(read: (value: unknown) => unknown, serialize: Coercion['serialize']): Coercion {
  return {
    parseValue: read,
    parseLiteral: (node) => {
      if (node.kind === Kind.STRING) return read(node.value);
      if (node.kind === Kind.INT) return read(BigInt(node.value));
      throw new GraphQLError(`${node.kind} is neither a string nor an integer`);
    },
    serialize,
  };
}

/** Hex digits with 0x; `length` in bytes; `what`: the Go type that the error names. */
function bytes(what: string, length?: number): Coercion {
  return coercion(
    (value) => {
      if (typeof value !== 'string') throw new GraphQLError(`unexpected type for ${what}`);
      if (!/^0x/i.test(value)) throw new GraphQLError('hex string without 0x prefix');
      if (value.length % 2 !== 0) throw new GraphQLError('hex string of odd length');
      if (length !== undefined && value.length !== 2 + 2 * length) {
        const digits = value.length - 2;
        throw new GraphQLError(`hex string has length ${digits}, want ${2 * length} for ${what}`);
      }
      try {
        return fromHex(value);
      } catch {
        throw new GraphQLError('invalid hex string');
      }
    },
    (value) => toHex(value as Uint8Array),
  );
}

const DECIMAL = /^-?\d{1,78}$/;
const HEX = /^0x[0-9a-f]{1,64}$/i;

function integerOf(value: unknown, what: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && (DECIMAL.test(value) || HEX.test(value))) return BigInt(value);
  throw new GraphQLError(`${JSON.stringify(value)} is not an integer for ${what}`);
}

/**
 * COMPAT: as in GoQuorum, values of type `hexutil.Uint64` are answered as hex, other numbers as
 * numbers.
 */
function writeLong(value: unknown): unknown {
  return typeof value === 'bigint' ? toQuantity(value) : value;
}

export const SCALARS: Readonly<Record<string, Coercion>> = {
  Bytes32: bytes('Hash', 32),
  Address: bytes('Address', 20),
  Bytes: bytes('Bytes'),
  BigInt: coercion(
    (value) => {
      const integer = integerOf(value, 'BigInt');
      if (integer < 0n || integer >> 256n !== 0n)
        throw new GraphQLError(`${integer} is not between 0 and 2^256 - 1`);
      return integer;
    },
    (value) => toQuantity(value as bigint),
  ),
  Long: coercion((value) => {
    const integer = integerOf(value, 'Long');
    if (BigInt.asIntN(64, integer) !== integer)
      throw new GraphQLError(`${integer} does not fit into 64 bits`);
    return integer;
  }, writeLong),
};
