/**
 * Hashes of typed structured data, in the form that wallets sign (EIP-712; arrays and null
 * structures as in `eth_signTypedData_v4`).
 */
import { concatBytes, EMPTY_BYTES, type Hash32, padLeft, ZERO_HASH } from './bytes.ts';
import { fail, type QuorateError } from './errors.ts';
import { fromHex } from './hex.ts';
import { keccak256 } from './keccak.ts';
import { bigIntToFixed } from './quantity.ts';

interface Field {
  readonly name: string;
  readonly type: string;
}

interface TypedData {
  readonly types: Readonly<Record<string, readonly Field[]>>;
  readonly primaryType: string;
  readonly domain: Fields;
  readonly message: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

const WORD_BYTES = 32;
const WORD_BITS = 256n;
/** Maximum nesting of structures and arrays. */
const DEPTH_MAX = 64;
const VALUES_MAX = 100_000;
const PREFIX = fromHex('0x1901');
const DOMAIN = 'EIP712Domain';
/**
 * The hash to sign for `{types, primaryType, domain, message}`. Throws TYPED_DATA_INVALID with the
 * name of the field.
 */
export function typedDataHash(value: unknown): Hash32 {
  const data = parse(value);
  const encoder = new Encoder(data);
  const domain = encoder.struct(DOMAIN, data.domain, 'domain');
  const isDomainOnly = data.primaryType === DOMAIN;
  const message = isDomainOnly
    ? EMPTY_BYTES
    : encoder.struct(data.primaryType, data.message, 'message');
  return keccak256(concatBytes(PREFIX, domain, message));
}

class Encoder {
  private readonly types: TypedData['types'];
  private readonly typeHashes = new Map<string, Hash32>();
  private values = 0;

  constructor({ types }: TypedData) {
    this.types = types;
  }

  struct(type: string, value: Fields, path: string, depth = 0): Hash32 {
    const words = [this.typeHash(type)];
    for (const field of this.fieldsOf(type, path)) {
      const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      words.push(this.word(field.type, given, `${path}.${field.name}`, depth + 1));
    }
    return keccak256(concatBytes(...words));
  }

  private word(type: string, value: unknown, path: string, depth: number): Uint8Array {
    if (depth > DEPTH_MAX) throw invalid(`${path}: more than ${DEPTH_MAX} levels`);
    if (++this.values > VALUES_MAX) throw invalid(`more than ${VALUES_MAX} values`);
    const array = /^(.+)\[(\d*)\]$/.exec(type);
    if (array) return this.array(array[1]!, array[2]!, value, path, depth);
    if (!this.isStruct(type)) return atom(type, value, path);
    if (value === null || value === undefined) return ZERO_HASH;
    return this.struct(type, fieldsIn(value, path), path, depth);
  }

  private array(
    type: string,
    length: string,
    value: unknown,
    path: string,
    depth: number,
  ): Uint8Array {
    if (!Array.isArray(value)) throw invalid(`${path} must be an array`);
    if (length !== '' && value.length !== Number(length))
      throw invalid(`${path} must have ${length} elements`);
    const words = value.map((each, i) => this.word(type, each, `${path}[${i}]`, depth + 1));
    return keccak256(concatBytes(...words));
  }

  private isStruct(type: string): boolean {
    return Object.hasOwn(this.types, type);
  }

  private fieldsOf(type: string, path: string): readonly Field[] {
    if (this.isStruct(type)) return this.types[type]!;
    throw invalid(`${path}: type ${type} is not among the types`);
  }

  /**
   * Hash of the type's own text followed by those of the structures that it uses, sorted by name.
   */
  private typeHash(type: string): Hash32 {
    const known = this.typeHashes.get(type);
    if (known) return known;
    const found = new Set<string>();
    this.collect(type, found);
    found.delete(type);
    const text = [type, ...[...found].sort()].map((name) => this.signature(name)).join('');
    const hash = keccak256(new TextEncoder().encode(text));
    this.typeHashes.set(type, hash);
    return hash;
  }

  private collect(type: string, found: Set<string>): void {
    const name = type.replace(/(\[\d*\])+$/, '');
    if (found.has(name) || !this.isStruct(name)) return;
    found.add(name);
    for (const field of this.types[name]!) this.collect(field.type, found);
  }

  private signature(name: string): string {
    const fields = this.fieldsOf(name, name).map((field) => `${field.type} ${field.name}`);
    return `${name}(${fields.join(',')})`;
  }
}

/** Encodes a value that is neither a structure nor an array as one word. */
function atom(type: string, value: unknown, path: string): Uint8Array {
  if (value === null || value === undefined) throw invalid(`${path} is missing`);
  if (type === 'string') {
    if (typeof value !== 'string') throw invalid(`${path} must be a string`);
    return keccak256(new TextEncoder().encode(value));
  }
  if (type === 'bytes') return keccak256(bytes(value, path));
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw invalid(`${path} must be true or false`);
    return bigIntToFixed(value ? 1n : 0n, WORD_BYTES);
  }
  if (type === 'address') return padLeft(sized(value, 20, path), WORD_BYTES);
  const fixed = /^bytes(\d+)$/.exec(type);
  if (fixed) return fixedBytes(value, Number(fixed[1]), path);
  const integer = /^(u?)int(\d*)$/.exec(type);
  if (integer) return integerWord(value, Number(integer[2] || WORD_BITS), !integer[1], path);
  throw invalid(`${path}: there is no type ${type}`);
}

function fixedBytes(value: unknown, length: number, path: string): Uint8Array {
  if (length < 1 || length > WORD_BYTES) throw invalid(`${path}: there is no type bytes${length}`);
  return concatBytes(sized(value, length, path), new Uint8Array(WORD_BYTES - length));
}

function integerWord(value: unknown, bits: number, isSigned: boolean, path: string): Uint8Array {
  if (bits < 8 || bits > 256 || bits % 8 !== 0)
    throw invalid(`${path}: there are no integers of ${bits} bits`);
  const number = integerOf(value, path);
  const half = 1n << BigInt(bits - 1);
  const [min, max] = isSigned ? [-half, half - 1n] : [0n, 2n * half - 1n];
  if (number < min || number > max) throw invalid(`${path} does not fit into its type`);
  return bigIntToFixed(BigInt.asUintN(Number(WORD_BITS), number), WORD_BYTES);
}

/** Accepts exact JSON numbers, and decimal or hex text. */
function integerOf(value: unknown, path: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  const match = typeof value === 'string' ? /^(-?)(\d+|0x[0-9a-f]+)$/i.exec(value) : null;
  if (!match) throw invalid(`${path} must be an integer`);
  const magnitude = BigInt(match[2]!);
  return match[1] ? -magnitude : magnitude;
}

function bytes(value: unknown, path: string): Uint8Array {
  if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(value))
    throw invalid(`${path} must be hex bytes`);
  return fromHex(value);
}

function sized(value: unknown, length: number, path: string): Uint8Array {
  const found = bytes(value, path);
  if (found.length !== length) throw invalid(`${path} must have ${length} bytes`);
  return found;
}

function parse(value: unknown): TypedData {
  const { types, primaryType, domain, message } = fieldsIn(value, 'the typed data');
  if (typeof primaryType !== 'string') throw invalid('primaryType must be a string');
  const declared = fieldsIn(types, 'types');
  if (!Object.hasOwn(declared, DOMAIN))
    throw invalid(`types.${DOMAIN} is missing: it says which members the domain has`);
  return {
    types: Object.fromEntries(
      Object.entries(declared).map(([name, fields]) => [name, fieldList(fields, `types.${name}`)]),
    ),
    primaryType,
    domain: fieldsIn(domain, 'domain'),
    message: primaryType === DOMAIN ? {} : fieldsIn(message, 'message'),
  };
}

function fieldList(value: unknown, path: string): readonly Field[] {
  if (!Array.isArray(value)) throw invalid(`${path} must be an array`);
  return value.map((each, index) => {
    const { name, type } = fieldsIn(each, `${path}[${index}]`);
    if (typeof name === 'string' && typeof type === 'string') return { name, type };
    throw invalid(`${path}[${index}] needs a name and a type`);
  });
}

function fieldsIn(value: unknown, path: string): Fields {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Fields;
  throw invalid(`${path} must be an object`);
}

function invalid(message: string): QuorateError {
  return fail('TYPED_DATA_INVALID', `typed data: ${message}`);
}
