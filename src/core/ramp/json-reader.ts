/**
 * Reads a configuration strictly: every fault is recorded with its path, and unknown names are
 * faults.
 */
import { parseDecimal } from './money.ts';

export class JsonReader {
  private readonly path: string;
  private readonly faults: string[];
  private readonly values: Readonly<Record<string, unknown>>;
  private readonly read = new Set<string>();

  constructor(value: unknown, path: string, faults: string[]) {
    this.path = path;
    this.faults = faults;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) this.fault('', 'must be an object');
    this.values = isObject ? (value as Record<string, unknown>) : {};
  }

  fault(name: string, what: string): void {
    const place = [this.path, name].filter((part) => part !== '').join('.');
    this.faults.push(place === '' ? what : `${place} ${what}`);
  }

  /** Reports unknown members: those that were not read. */
  end(): void {
    for (const name of Object.keys(this.values)) {
      if (!this.read.has(name)) this.fault(name, 'is not known here');
    }
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  text(name: string, form?: RegExp): string {
    const value = this.value(name);
    if (typeof value === 'string' && (!form || form.test(value))) return value;
    this.fault(name, form ? `must be a text of the form ${form.source}` : 'must be a text');
    return '';
  }

  textOr<T extends string | undefined>(name: string, missing: T, form?: RegExp): string | T {
    return this.has(name) ? this.text(name, form) : missing;
  }

  oneOf<T extends string>(name: string, values: readonly T[], missing?: T): T {
    const value = this.value(name);
    if (value === undefined && missing !== undefined) return missing;
    const found = values.find((each) => each === value);
    if (found === undefined) this.fault(name, `must be one of ${values.join(', ')}`);
    return found ?? values[0]!;
  }

  boolean(name: string, missing: boolean): boolean {
    const value = this.value(name);
    if (value === undefined) return missing;
    if (typeof value !== 'boolean') this.fault(name, 'must be true or false');
    return value === true;
  }

  integer(name: string, min: number, max: number, missing?: number): number {
    const value = this.value(name);
    if (value === undefined && missing !== undefined) return missing;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    this.fault(name, `must be a whole number from ${min} to ${max}`);
    return min;
  }

  /** A decimal text, in units of 10^-decimals. */
  decimal(name: string, decimals: number, missing?: bigint): bigint {
    const value = this.value(name);
    if (value === undefined && missing !== undefined) return missing;
    try {
      if (typeof value === 'string') return parseDecimal(value, decimals);
    } catch (error) {
      this.fault(name, (error as Error).message);
      return 0n;
    }
    this.fault(name, 'must be a decimal number as a text, such as "1.20"');
    return 0n;
  }

  texts(name: string, form?: RegExp): readonly string[] {
    return this.list(name).filter((each, at): each is string => {
      const isGood = typeof each === 'string' && (!form || form.test(each));
      if (!isGood)
        this.fault(
          `${name}[${at}]`,
          form ? `must be of the form ${form.source}` : 'must be a text',
        );
      return isGood;
    });
  }

  objects<T>(name: string, read: (reader: JsonReader) => T): readonly T[] {
    return this.list(name).map((each, at) => this.nested(each, `${name}[${at}]`, read));
  }

  /** A missing object counts as an empty one. */
  object<T>(name: string, read: (reader: JsonReader) => T): T {
    return this.nested(this.value(name) ?? {}, name, read);
  }

  private nested<T>(value: unknown, name: string, read: (reader: JsonReader) => T): T {
    const path = this.path === '' ? name : `${this.path}.${name}`;
    const reader = new JsonReader(value, path, this.faults);
    const result = read(reader);
    reader.end();
    return result;
  }

  private list(name: string): readonly unknown[] {
    const value = this.value(name);
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.fault(name, 'must be a list');
    return [];
  }

  private value(name: string): unknown {
    this.read.add(name);
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }
}
