/** A value as geth's console shows it (GoQuorum internal/jsre/pretty.go). */
import { isBigNumber } from './number.ts';
import { signatureOf } from './signatures.ts';

const DEEPEST = 3;
const INDENT = '  ';
const BORING = new Set([
  'valueOf',
  'toString',
  'toLocaleString',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'constructor',
]);

export type Kind = 'special' | 'string' | 'number' | 'function';
/** Adds the terminal's colour for this kind of text, or nothing. */
export type Paint = (kind: Kind, text: string) => string;

export class Printer {
  private readonly paint: Paint;

  constructor(paint: Paint) {
    this.paint = paint;
  }

  print(value: unknown): string {
    return this.value(value, 0, false);
  }

  private value(value: unknown, level: number, inArray: boolean): string {
    switch (typeof value) {
      case 'undefined':
      case 'boolean':
        return this.paint('special', String(value));
      case 'string':
        return this.paint('string', quoted(value));
      case 'number':
        return this.paint('number', Object.is(value, -0) ? '0' : String(value));
      case 'bigint':
      case 'symbol':
        return this.paint('number', String(value));
      case 'function':
        return this.paint('function', declaration(value));
      default:
        if (value === null) return this.paint('special', 'null');
        return this.object(value as object, level, inArray);
    }
  }

  private object(value: object, level: number, inArray: boolean): string {
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    if (Array.isArray(value)) return this.array(value, level);
    if (tag === 'Boolean') return this.paint('special', String(value));
    if (tag === 'Number' || isBigNumber(value)) return this.paint('number', String(value));
    if (tag === 'RegExp') return this.paint('string', String(value));
    if (tag === 'Object') return this.fields(value, level, inArray);
    if (level > DEEPEST) return `<${tag}>`;
    return `<${tag} ${tag === 'Date' ? dateText(value as Date) : textOf(value)}>`;
  }

  private array(values: readonly unknown[], level: number): string {
    if (values.length === 0) return '[]';
    if (level > DEEPEST) return '[...]';
    const parts = Array.from(values, (each, at) =>
      at in values ? this.value(each, level + 1, true) : '',
    );
    return `[${parts.join(', ')}]`;
  }

  private fields(value: object, level: number, inArray: boolean): string {
    const names = fieldNames(value);
    if (names.length === 0) return '{}';
    if (level > DEEPEST) return '{...}';
    const inner = INDENT.repeat(level + 1);
    const lines = names.map(
      (name) => `${inner}${name}: ${this.value(read(value, name), level + 1, false)}`,
    );
    // COMPAT: the closing brace of an object in an array is one step further left.
    const outer = INDENT.repeat(Math.max(0, inArray ? level - 1 : level));
    return `{\n${lines.join(',\n')}\n${outer}}`;
  }
}

/**
 * Names of own properties and of those of the constructor's prototype: values first, then
 * functions.
 */
function fieldNames(value: object): string[] {
  const names = propertyNames(value).filter((name) => !BORING.has(name) && !name.startsWith('_'));
  const isFunction = (name: string): boolean => typeof read(value, name) === 'function';
  const functions = new Set(names.filter(isFunction));
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [
    ...names.filter((name) => !functions.has(name)).sort(order),
    ...[...functions].sort(order),
  ];
}

/** Names of own properties and of those of the constructor's prototype, each once. */
export function propertyNames(value: object): string[] {
  const made = read(read(value, 'constructor'), 'prototype');
  const inherited = made instanceof Object ? Object.getOwnPropertyNames(made) : [];
  return [...new Set([...Object.getOwnPropertyNames(value), ...inherited])];
}

/** Undefined also if reading fails, as for methods that the node does not serve. */
export function read(value: unknown, name: string): unknown {
  try {
    return value == null ? undefined : (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function declaration(value: object): string {
  const known = signatureOf(value);
  if (known !== undefined) return known;
  const [head = ''] = Function.prototype.toString.call(value).split('{');
  return head.trim().replace(' (', '(');
}

/** The date as JavaScript prints it, but with the short name of the time zone. */
export function dateText(date: Date): string {
  const text = String(date);
  if (!text.includes('(')) return text;
  const zone = date.toLocaleTimeString('en', { timeZoneName: 'short' }).split(' ').pop();
  return text.replace(/\(.*\)$/, `(${zone})`);
}

/** The result of `String`; if that throws, a text such as `[object Object]`. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Quoted as by Go's %q: printable characters are unchanged. */
function quoted(text: string): string {
  const shownText = Array.from(text, (character) => {
    const escaped = ESCAPES[character];
    if (escaped !== undefined) return escaped;
    if (character === ' ' || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) return character;
    const code = character.codePointAt(0)!;
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
    if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
    const [mark, digits] = code > 0xffff ? ['U', 8] : ['u', 4];
    return `\\${mark}${code.toString(16).padStart(digits as number, '0')}`;
  });
  return `"${shownText.join('')}"`;
}
