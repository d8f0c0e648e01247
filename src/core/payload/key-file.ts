/**
 * Tessera's key files: `{"type":"unlocked",…}` and `{"type":"argon2sbox",…}` (Tessera KeyData).
 * Without key derivation, which is in io.
 */
import { fromBase64, toBase64 } from '../base/base64.ts';
import { fail } from '../base/errors.ts';

type Argon2Variant = 'i' | 'd' | 'id';

export interface Argon2Options {
  readonly variant: Argon2Variant;
  /** KiB. */
  readonly memory: number;
  readonly iterations: number;
  readonly parallelism: number;
}

export type KeyFile =
  | { readonly kind: 'unlocked'; readonly secretKey: Uint8Array }
  | {
      readonly kind: 'locked';
      readonly options: Argon2Options;
      readonly nonce: Uint8Array;
      readonly salt: Uint8Array;
      /** Secretbox that contains the secret key. */
      readonly box: Uint8Array;
    };

/** Tessera's values for new files: 1 GiB, ten passes, parallelism four. */
export const ARGON2_DEFAULTS: Argon2Options = {
  variant: 'id',
  memory: 1_048_576,
  iterations: 10,
  parallelism: 4,
};
/** The largest values that a file may require: 4 GiB. */
const ARGON2_MEMORY_KIB_MAX = 4_194_304;
const ARGON2_ITERATIONS_MAX = 1000;
const ARGON2_PARALLELISM_MAX = 64;
const SECRET_KEY_BYTES = 32;
const LOCKED_BOX_BYTES = 48;
const LOCKED_NONCE_BYTES = 24;

/**
 * `config` is the parsed JSON of a key file, or `keyData[].config`. Throws PTM_KEY_INVALID, whose
 * text never contains any of the content.
 */
export function parseKeyFile(config: unknown): KeyFile {
  const file = asObject(config);
  const data = asObject(file.data);
  if (file.type === 'unlocked') {
    return { kind: 'unlocked', secretKey: sized(data.bytes, SECRET_KEY_BYTES, 'data.bytes') };
  }
  if (file.type !== 'argon2sbox') {
    throw invalid('"type" must be "unlocked" or "argon2sbox"');
  }
  return {
    kind: 'locked',
    options: parseOptions(asObject(data.aopts)),
    nonce: sized(data.snonce, LOCKED_NONCE_BYTES, 'data.snonce'),
    salt: anyBytes(data.asalt, 'data.asalt'),
    box: sized(data.sbox, LOCKED_BOX_BYTES, 'data.sbox'),
  };
}

export function formatKeyFile(file: KeyFile): string {
  if (file.kind === 'unlocked') {
    return JSON.stringify({ type: 'unlocked', data: { bytes: toBase64(file.secretKey) } });
  }
  const data = {
    aopts: file.options,
    snonce: toBase64(file.nonce),
    asalt: toBase64(file.salt),
    sbox: toBase64(file.box),
  };
  return JSON.stringify({ type: 'argon2sbox', data });
}

function parseOptions(aopts: Readonly<Record<string, unknown>>): Argon2Options {
  const { variant } = aopts;
  if (variant !== 'i' && variant !== 'd' && variant !== 'id') {
    throw invalid('data.aopts.variant must be "i", "d" or "id"');
  }
  return {
    variant,
    memory: within(aopts.memory, ARGON2_MEMORY_KIB_MAX, 'data.aopts.memory'),
    iterations: within(aopts.iterations, ARGON2_ITERATIONS_MAX, 'data.aopts.iterations'),
    parallelism: within(aopts.parallelism, ARGON2_PARALLELISM_MAX, 'data.aopts.parallelism'),
  };
}

function within(value: unknown, max: number, name: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max) {
    throw invalid(`${name} must be an integer from 1 to ${max}`);
  }
  return value;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('it is not an object with "type" and "data"');
  }
  return value as Readonly<Record<string, unknown>>;
}

function sized(value: unknown, length: number, name: string): Uint8Array {
  const bytes = anyBytes(value, name);
  if (bytes.length !== length) throw invalid(`${name} is not ${length} bytes long`);
  return bytes;
}

function anyBytes(value: unknown, name: string): Uint8Array {
  if (typeof value !== 'string') throw invalid(`${name} is missing`);
  try {
    return fromBase64(value);
  } catch {
    throw invalid(`${name} is not base64`);
  }
}

function invalid(why: string): Error {
  return fail('PTM_KEY_INVALID', `invalid private key file: ${why}`);
}
