/** JSON that people write: errors name the place, in the same words on every version of Node. */
import { fail } from './errors.ts';

const SPACE = /[ \t\n\r]*/y;
/**
 * Matches one bounded piece of a string: an expression for a whole long string would overflow the
 * stack.
 */
const CHARACTERS = /[^"\\\p{Cc}]{1,1000}|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/uy;
const QUOTE = /"/y;
const PLAIN = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/**
 * Like JSON.parse. Throws JSON_INVALID with line and column, but never quotes the text: it may be a
 * secret.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail('JSON_INVALID', `no valid JSON: ${jsonFault(text) ?? 'the text cannot be read'}`);
  }
}

/** Where `text` stops being JSON and what is missing there; undefined: it is valid. */
export function jsonFault(text: string): string | undefined {
  if (text.trim() === '') return 'it is empty';
  if (text.startsWith('\ufeff')) return 'it begins with a byte order mark: save it without one';
  const scan = new Scan(text);
  const missing = scan.value() ?? scan.end();
  return missing && `${placeOf(text, scan.at)}: ${missing}`;
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/**
 * Each step returns what is missing at `at`, or undefined. Open brackets are kept in a list, so
 * that deep nesting does not overflow the stack.
 */
class Scan {
  at = 0;
  private readonly text: string;
  private readonly open: ('}' | ']')[] = [];

  constructor(text: string) {
    this.text = text;
  }

  value(): string | undefined {
    for (;;) {
      this.skip(SPACE);
      const sign = this.text[this.at];
      if (sign === '{' || sign === '[') {
        this.at++;
        this.open.push(sign === '{' ? '}' : ']');
        if (!this.closes()) {
          const missing = this.key();
          if (missing) return missing;
          continue;
        }
      } else if (!this.string() && !this.skip(PLAIN)) return 'a value is missing or wrong';
      const next = this.afterValue();
      if (next !== 'more') return next;
    }
  }

  end(): string | undefined {
    this.skip(SPACE);
    return this.at === this.text.length ? undefined : 'something follows the end';
  }

  /** Runs after a value: skips the brackets that close here. */
  private afterValue(): 'more' | string | undefined {
    while (this.open.length > 0) {
      if (this.closes()) continue;
      if (this.text[this.at] !== ',') return `"," or "${this.open.at(-1)}" is missing`;
      this.at++;
      return this.key() ?? 'more';
    }
    return undefined;
  }

  private closes(): boolean {
    this.skip(SPACE);
    if (this.text[this.at] !== this.open.at(-1)) return false;
    this.at++;
    this.open.pop();
    return true;
  }

  /** In an object: reads the name and the colon before a value. */
  private key(): string | undefined {
    if (this.open.at(-1) !== '}') return undefined;
    this.skip(SPACE);
    if (!this.string()) return 'a name in double quotes is missing';
    this.skip(SPACE);
    if (this.text[this.at] !== ':') return '":" is missing';
    this.at++;
    return undefined;
  }

  private string(): boolean {
    const start = this.at;
    if (!this.skip(QUOTE)) return false;
    while (this.skip(CHARACTERS));
    if (this.skip(QUOTE)) return true;
    this.at = start;
    return false;
  }

  private skip(token: RegExp): boolean {
    token.lastIndex = this.at;
    if (!token.test(this.text)) return false;
    this.at = token.lastIndex;
    return true;
  }
}
