/**
 * Arguments and results of contracts (Solidity ABI), with the values that web3 0.20 accepts and
 * returns; tuples as arrays or objects.
 */
import { BigNumber, toBigNumber } from './number.ts';
import { fromUtf8, padLeft, padRight, toHex, toUtf8 } from './text.ts';

const WORD = 64;
const MODULUS = new BigNumber(2).exponentiatedBy(256);

export interface AbiParameter {
  readonly name?: string;
  readonly type: string;
  readonly indexed?: boolean;
  readonly components?: readonly AbiParameter[];
}

/** Encodings and sizes are in hex digits, without 0x. */
interface Codec {
  readonly isDynamic: boolean;
  /** Size in the head of a tuple; for a dynamic value, the size of its offset. */
  readonly size: number;
  encode(value: unknown): string;
  /** `at`: position of the value in `data`. */
  decode(data: string, at: number): unknown;
}

const numberWord = (value: unknown): string => {
  const number = toBigNumber(value).integerValue(BigNumber.ROUND_HALF_UP);
  const complement = number.isNegative() ? number.plus(MODULUS) : number;
  return padLeft(complement.toString(16), WORD);
};
const wordAt = (data: string, at: number): string => data.slice(at, at + WORD);
/** 0 for empty data: the contract has returned nothing. */
const numberAt = (data: string, at: number): BigNumber =>
  new BigNumber(wordAt(data, at) || '0', 16);
/** Reads an offset or a length, in digits; values beyond the data are limited to its end. */
const placeAt = (data: string, at: number): number =>
  Math.min(numberAt(data, at).toNumber() * 2, data.length);
const rounded = (digits: string): string =>
  padRight(digits, Math.ceil(digits.length / WORD) * WORD);

const fixed = (encode: Codec['encode'], decode: (word: string) => unknown): Codec => ({
  isDynamic: false,
  size: WORD,
  encode,
  decode: (data, at) => decode(wordAt(data, at)),
});
const bytesLike = (
  toDigits: (value: unknown) => string,
  from: (hex: string) => unknown,
): Codec => ({
  isDynamic: true,
  size: WORD,
  encode(value) {
    const digits = toDigits(value);
    return numberWord(digits.length / 2) + rounded(digits);
  },
  decode: (data, at) => from(`0x${data.slice(at + WORD, at + WORD + placeAt(data, at))}`),
});

const ADDRESS = fixed(numberWord, (word) => `0x${word.slice(-40)}`);
const BOOL = fixed(
  (value) => numberWord(value ? 1 : 0),
  (word) => word === numberWord(1),
);
const UINT = fixed(numberWord, (word) => new BigNumber(word || '0', 16));
const INT = fixed(numberWord, (word) => {
  const number = new BigNumber(word || '0', 16);
  return number.isGreaterThanOrEqualTo(MODULUS.dividedBy(2)) ? number.minus(MODULUS) : number;
});
const BYTES = bytesLike(
  (value) => toHex(value).slice(2),
  (hex) => hex,
);
const STRING = bytesLike(
  (value) => fromUtf8(String(value)).slice(2),
  (hex) => toUtf8(hex),
);
const bytesOf = (size: number): Codec =>
  fixed(
    (value) => padRight(toHex(value).slice(2), WORD),
    (word) => `0x${word.slice(0, size * 2)}`,
  );

function codecOf(parameter: AbiParameter): Codec {
  const { type, components } = parameter;
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array) {
    const item = codecOf({ ...parameter, type: array[1]! });
    return array[2] === '' ? listOf(item) : tupleOf(Array(Number(array[2])).fill(item));
  }
  if (type === 'tuple') {
    const names = (components ?? []).map(({ name }) => name);
    return tupleOf((components ?? []).map(codecOf), names);
  }
  if (type === 'address') return ADDRESS;
  if (type === 'bool') return BOOL;
  if (type === 'bytes') return BYTES;
  if (type === 'string') return STRING;
  if (/^uint\d*$/.test(type)) return UINT;
  if (/^int\d*$/.test(type)) return INT;
  const bytes = /^bytes(\d+)$/.exec(type);
  if (bytes) return bytesOf(Number(bytes[1]));
  throw new Error(`invalid solidity type!: ${type}`);
}

/** `names`: names of an object's fields, for values that are given as objects. */
function tupleOf(items: readonly Codec[], names: readonly (string | undefined)[] = []): Codec {
  const isDynamic = items.some((item) => item.isDynamic);
  return {
    isDynamic,
    size: isDynamic ? WORD : headSize(items),
    encode(value) {
      const values = Array.isArray(value)
        ? value
        : names.map((name) => (value as Record<string, unknown>)[name ?? '']);
      return encodeAll(items, values);
    },
    decode: (data, at) => decodeAll(items, data.slice(at)),
  };
}

function listOf(item: Codec): Codec {
  return {
    isDynamic: true,
    size: WORD,
    encode(value) {
      const values = value as unknown[];
      return (
        numberWord(values.length) +
        encodeAll(
          values.map(() => item),
          values,
        )
      );
    },
    decode(data, at) {
      const rest = data.slice(at + WORD);
      const length = numberAt(data, at).toNumber();
      if (item.size > 0 && length * item.size > rest.length) {
        throw new Error(`the list of ${length} is longer than the data that holds it`);
      }
      return decodeAll(Array(length).fill(item), rest);
    },
  };
}

function headSize(items: readonly Codec[]): number {
  return items.reduce((sum, { size }) => sum + size, 0);
}

function encodeAll(items: readonly Codec[], values: readonly unknown[]): string {
  let heads = '';
  let tails = '';
  const start = headSize(items);
  for (const [at, item] of items.entries()) {
    const encoded = item.encode(values[at]);
    if (!item.isDynamic) heads += encoded;
    else {
      heads += numberWord((start + tails.length) / 2);
      tails += encoded;
    }
  }
  return heads + tails;
}

function decodeAll(items: readonly Codec[], data: string): unknown[] {
  let head = 0;
  return items.map((item) => {
    const at = item.isDynamic ? placeAt(data, head) : head;
    head += item.size;
    return item.decode(data, at);
  });
}

export function encodeParameters(
  parameters: readonly AbiParameter[],
  values: readonly unknown[],
): string {
  return encodeAll(parameters.map(codecOf), values);
}

/** Missing data is read as 0, as in web3 0.20. */
export function decodeParameters(parameters: readonly AbiParameter[], data: string): unknown[] {
  return decodeAll(parameters.map(codecOf), data);
}

/** `name(types)`, the text that is hashed for selectors and topics. */
export function fullName(name: string, inputs: readonly AbiParameter[]): string {
  return name.includes('(') ? name : `${name}(${typeNames(inputs)})`;
}

export function typeNames(inputs: readonly AbiParameter[]): string {
  return inputs
    .map(({ type, components }) =>
      type.startsWith('tuple') ? `(${typeNames(components ?? [])})${type.slice(5)}` : type,
    )
    .join();
}
