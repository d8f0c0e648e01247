/**
 * Reads typed members of a key's configuration. Errors name the member, never its value, which may
 * be a secret.
 */
import { fail, type QuorateError } from '../../../core/base/errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function invalidKey(message: string): QuorateError {
  return fail('KEY_CONFIG_INVALID', message);
}

/** The error for a file that may not be a key configuration at all. */
export function foreignFile(message: string): QuorateError {
  return fail('KEY_CONFIG_FOREIGN', message);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number is accepted as the text that was written: a password of digits needs no quotes. */
export function optionalText(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw invalidKey(`"${name}" must be a text`);
}

export function text(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (value === undefined) throw invalidKey(`Missing values for required parameters: ${name}`);
  return value;
}

/** Reports all missing members at once, as Web3Signer does. */
export function needTexts(fields: Fields, names: readonly string[]): void {
  const missing = names.filter((name) => optionalText(fields, name) === undefined);
  if (missing.length > 0) {
    throw invalidKey(`Missing values for required parameters: ${missing.join(',')}`);
  }
}

export function integer(
  fields: Fields,
  name: string,
  otherwise: number,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return otherwise;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isGood = typeof number === 'number' && Number.isInteger(number);
  if (isGood && number >= min && number <= max) return number;
  throw invalidKey(`"${name}" must be an integer from ${min} to ${max}`);
}

export function flag(fields: Fields, name: string, otherwise: boolean): boolean {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null) return otherwise;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalidKey(`"${name}" must be true or false`);
}

/** Matches one of the words, in upper or lower case. */
export function oneOf<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
  otherwise: Word,
): Word {
  const value = optionalText(fields, name);
  if (value === undefined) return otherwise;
  const found = words.find((word) => word === value.toUpperCase());
  if (found) return found;
  throw invalidKey(`"${name}" must be one of ${words.join(', ')}`);
}
