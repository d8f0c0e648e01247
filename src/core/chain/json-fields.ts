/**
 * Fields of a JSON object, found as Go's decoder does: keys in any case, the last one applies, null
 * counts as absent.
 */
import { type Address, type Hash32, padLeft } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { fromHex } from '../base/hex.ts';
import { jsonFault } from '../base/json.ts';

export function genesisFault(message: string): QuorateError {
  return fail('GENESIS_INVALID', message);
}

/** JSON.parse that keeps integers above 2^53 exact, as decimal strings. Throws GENESIS_INVALID. */
export function parseGenesisJson(text: string): unknown {
  const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^\d{16,}$/.test(token) ? `"${token}"` : token,
  );
  try {
    return JSON.parse(exact);
  } catch (cause) {
    const why = `no valid JSON: ${jsonFault(text)}`;
    throw fail('GENESIS_INVALID', `invalid genesis file: ${why}`, { cause });
  }
}

export class JsonFields {
  /** Path of the object, for messages: `config.qbft`. */
  readonly path: string;
  private readonly values = new Map<string, unknown>();

  constructor(value: unknown, path: string) {
    this.path = path;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw genesisFault(`invalid genesis file: ${path || 'the file'} is not an object`);
    }
    for (const [key, entry] of Object.entries(value)) {
      if (entry !== null) this.values.set(key.toLowerCase(), entry);
    }
  }

  get keys(): readonly string[] {
    return [...this.values.keys()];
  }

  has(name: string): boolean {
    return this.values.has(name.toLowerCase());
  }

  /** The raw value; undefined when absent or null. */
  value(name: string): unknown {
    return this.values.get(name.toLowerCase());
  }

  /** Number, decimal string or 0x string of at most `bits` bits. */
  quantity(name: string, bits = 256): bigint | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const quantity = quantityOf(value);
    if (quantity === undefined || quantity < 0n || quantity >> BigInt(bits) !== 0n) {
      throw this.fault(name, `is not an unsigned integer of ${bits} bits`);
    }
    return quantity;
  }

  /** Like quantity(), as a number up to 2^53 - 1. */
  number(name: string): number | undefined {
    const quantity = this.quantity(name, 53);
    return quantity === undefined ? undefined : Number(quantity);
  }

  boolean(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.fault(name, 'is not true or false');
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.fault(name, 'is not a string');
  }

  bytes(name: string): Uint8Array | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : this.hex(name, text);
  }

  fixed(name: string, length: number): Uint8Array | undefined {
    const bytes = this.bytes(name);
    if (bytes !== undefined && bytes.length !== length) {
      throw this.fault(name, `is not ${length} bytes of hex`);
    }
    return bytes;
  }

  hash(name: string): Hash32 | undefined {
    return this.fixed(name, 32);
  }

  address(name: string): Address | undefined {
    return this.fixed(name, 20);
  }

  addresses(name: string): readonly Address[] | undefined {
    return this.list(name)?.map((entry, i) => {
      if (typeof entry !== 'string') throw this.fault(`${name}[${i}]`, 'is not an address');
      const bytes = this.hex(`${name}[${i}]`, entry);
      if (bytes.length !== 20) throw this.fault(`${name}[${i}]`, 'is not an address');
      return bytes;
    });
  }

  object(name: string): JsonFields | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : new JsonFields(value, this.at(name));
  }

  objects(name: string): readonly JsonFields[] | undefined {
    return this.list(name)?.map((entry, i) => new JsonFields(entry, this.at(`${name}[${i}]`)));
  }

  /** Names and values as written. */
  entries(name: string): readonly (readonly [string, unknown])[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw this.fault(name, 'is not an object');
    }
    return Object.entries(value as object);
  }

  fault(name: string, what: string): QuorateError {
    return genesisFault(`invalid genesis file: ${this.at(name)} ${what}`);
  }

  private list(name: string): readonly unknown[] | undefined {
    const value = this.value(name);
    if (value === undefined || Array.isArray(value)) return value as unknown[] | undefined;
    throw this.fault(name, 'is not an array');
  }

  private at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  private hex(name: string, text: string): Uint8Array {
    try {
      return fromHex(text);
    } catch {
      throw this.fault(name, 'is not hex');
    }
  }
}

/** Up to 32 bytes of hex with or without 0x, left-padded to a word; undefined for anything else. */
export function wordOf(text: unknown): Hash32 | undefined {
  if (typeof text !== 'string') return undefined;
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  if (digits.length > 64 || !/^[0-9a-fA-F]*$/.test(digits)) return undefined;
  return padLeft(fromHex(digits.length % 2 === 0 ? digits : `0${digits}`), 32);
}

function quantityOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (value === '') return 0n;
  return /^(?:0[xX][0-9a-fA-F]+|\d+)$/.test(value) ? BigInt(value) : undefined;
}
