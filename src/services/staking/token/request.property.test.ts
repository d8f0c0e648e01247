/**
 * Readers of request bodies, with arbitrary bytes: the result is an answer or a refusal, nothing
 * else.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/effort.ts';
import { repeatedName } from '../../../core/base/json-object.ts';
import { ApiError } from '../stakes/api-error.ts';
import { readStakeTerms } from '../stakes/stake-request.ts';
import { OAuthRefusal, refusalReply } from './oauth-error.ts';
import { type RawRequest, readRequest } from './request.ts';

const RUNS = runs(2_000);
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const name = fc.oneof(
  fc.constantFrom(
    ...['client_id', 'client_secret', 'grant_type', 'audience', 'resource', 'scope', 'token'],
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a"b', '\\', '\0', 'é'],
    ...['withdrawal_pubkey', 'amount', 'fee_recipient', 'builder_relays', 'regions'],
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const value = fc.oneof(
  fc.constantFrom('client_credentials', '32000000000', `0x${'ab'.repeat(20)}`, '1e9', '-0', ''),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
/** Members of a JSON object as text; a name may occur twice, and be spelled in two ways. */
const memberText = fc.tuple(
  name,
  fc.boolean(),
  fc.oneof(
    fc.json({ maxDepth: 3 }),
    value.map((each) => JSON.stringify(each)),
  ),
);
const objectText = fc
  .tuple(fc.array(memberText, { maxLength: 6 }), fc.constantFrom('', ' ', '\n\t'))
  .map(([members, space]) => {
    const written = members.map(
      ([each, isEscaped, text]) =>
        `${isEscaped ? escaped(each) : JSON.stringify(each)}${space}:${space}${text}`,
    );
    return `${space}{${space}${written.join(`${space},${space}`)}${space}}${space}`;
  });
const formText = fc
  .array(fc.tuple(name, value), { maxLength: 80 })
  .map((pairs) => new URLSearchParams(pairs).toString());
const body = fc.oneof(
  objectText.map((text) => Buffer.from(text)),
  formText.map((text) => Buffer.from(text)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const pair = fc
  .tuple(value, value)
  .map(([id, secret]) => Buffer.from(`${id}:${secret}`).toString('base64'));
const authorization = fc.oneof(
  fc.constant(undefined),
  fc.string({ unit: 'binary' }),
  pair.map((text) => `Basic ${text}`),
  fc.base64String().map((text) => `basic  ${text}`),
);
const raw: fc.Arbitrary<RawRequest> = fc.record({
  contentType: fc.oneof(
    fc.constantFrom(undefined, JSON_TYPE, FORM_TYPE, `${JSON_TYPE}; charset=x`, 'APPLICATION/JSON'),
    fc.string(),
  ),
  authorization,
  query: fc.dictionary(name, value, { maxKeys: 2 }),
  body,
});

/** The text with each character as a \u escape. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

describe('the request reader', () => {
  it('reads a request or refuses it, in characters that the standard allows', () => {
    fc.assert(
      fc.property(raw, (given) => {
        try {
          const { parameters, client } = readRequest(given);
          expect(client.id).not.toBe('');
          for (const text of parameters.values()) expect(text).not.toBe('');
        } catch (error) {
          if (!(error instanceof OAuthRefusal)) throw error;
          const { status, body: said } = refusalReply(error.refusal, 'rfc6749');
          expect([400, 401]).toContain(status);
          const { error: code, error_description: words } = JSON.parse(String(said));
          expect(`${code} ${words}`).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
          expect(words.length).toBeLessThan(150);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('reads the same out of a form and out of JSON', () => {
    const parameters = fc.dictionary(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      { maxKeys: 20 },
    );
    fc.assert(
      fc.property(parameters, (given) => {
        const all = { ...given, client_id: 'a', client_secret: 'b' };
        const read = (contentType: string, text: string) =>
          readRequest({
            contentType,
            authorization: undefined,
            query: {},
            body: Buffer.from(text),
          });
        const json = read(JSON_TYPE, JSON.stringify(all));
        const form = read(FORM_TYPE, new URLSearchParams(all).toString());
        expect(new Map(json.parameters)).toEqual(new Map(Object.entries(all)));
        expect(form).toEqual(json);
      }),
    );
  });
});

describe('names that stand twice', () => {
  it('are found where a slow reader of JSON finds them', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        fc.pre(isJson);
        expect(repeatedName(text)).toBe(new SlowReader(text).firstRepeated());
      }),
      { numRuns: RUNS },
    );
  });

  it('are found in deep and long bodies without a stack or much time', () => {
    const deep = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)},"b":1,"a":2}`;
    expect(repeatedName(deep)).toBe('a');
    const long = `{"a":"${'\\"{['.repeat(15_000)}","b":"${'x'.repeat(60_000)}","b":2}`;
    expect(repeatedName(long)).toBe('b');
  });
});

describe('the reader of stakes', () => {
  it('reads the terms of a stake or refuses it', () => {
    fc.assert(
      fc.property(body, fc.constantFrom(1, 100), (bytes, max) => {
        try {
          const { validators, options } = readStakeTerms(bytes, max);
          expect(validators).toBeGreaterThanOrEqual(1);
          expect(validators).toBeLessThanOrEqual(max);
          const known = ['vault_name', 'fee_recipient', 'builder_relays', 'cloud_providers'];
          expect([...known, 'regions', 'client_types']).toEqual(
            expect.arrayContaining(Object.keys(options)),
          );
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error.status).toBe(400);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('takes no other amounts than whole validators', () => {
    const amounts = fc.oneof(
      fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
      fc.bigInt({ min: 0n, max: 110n }).map((count) => String(count * 32_000_000_000n)),
      fc.constantFrom(
        '32e9',
        '3.2e10',
        '32000000000.0',
        '+32000000000',
        ' 32000000000',
        '0x773594000',
      ),
    );
    fc.assert(
      fc.property(amounts, (amount) => {
        const request = JSON.stringify({ amount, withdrawal_pubkey: `0x${'ab'.repeat(20)}` });
        const gwei = /^\d{1,20}$/.test(amount) ? BigInt(amount) : 0n;
        const count = gwei / 32_000_000_000n;
        const isGood = gwei % 32_000_000_000n === 0n && count >= 1n && count <= 100n;
        let taken: number | undefined;
        try {
          taken = readStakeTerms(Buffer.from(request), 100).validators;
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
        expect(taken).toBe(isGood ? Number(count) : undefined);
      }),
    );
  });
});

/** Reads JSON character by character, only to find the names in its outermost object. */
class SlowReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  firstRepeated(): string | undefined {
    const names = this.members();
    return names.find((each, index) => names.indexOf(each) < index);
  }

  private members(): string[] {
    const names: string[] = [];
    this.expectSign('{');
    if (this.sign() === '}') return this.end(names, '}');
    for (;;) {
      names.push(this.string());
      this.expectSign(':');
      this.value();
      if (this.sign() === '}') return this.end(names, '}');
      this.expectSign(',');
    }
  }

  private elements(): void {
    this.expectSign('[');
    if (this.sign() === ']') return void this.end([], ']');
    for (;;) {
      this.value();
      if (this.sign() === ']') return void this.end([], ']');
      this.expectSign(',');
    }
  }

  private value(): void {
    const sign = this.sign();
    if (sign === '{') this.members();
    else if (sign === '[') this.elements();
    else if (sign === '"') this.string();
    else
      while (this.at < this.text.length && !',]} \n\t\r'.includes(this.text[this.at]!)) this.at++;
  }

  private string(): string {
    this.sign();
    const from = this.at++;
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1;
    return JSON.parse(this.text.slice(from, ++this.at));
  }

  /** The next character that is not a blank. */
  private sign(): string | undefined {
    while (' \n\t\r'.includes(this.text[this.at] ?? 'x')) this.at++;
    return this.text[this.at];
  }

  private expectSign(wanted: string): void {
    expect(this.sign()).toBe(wanted);
    this.at++;
  }

  private end(names: string[], sign: string): string[] {
    this.expectSign(sign);
    return names;
  }
}
