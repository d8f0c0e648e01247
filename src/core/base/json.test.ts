import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault, parseJson } from './json.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('JSON that people write', () => {
  it.each([
    ['', 'it is empty'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: "," or "}" is missing'],
    ['{"a" 1}', 'line 1, column 6: ":" is missing'],
    ["{'a': 1}", 'line 1, column 2: a name in double quotes is missing'],
    ['[1, 2,]', 'line 1, column 7: a value is missing or wrong'],
    ['[1 2]', 'line 1, column 4: "," or "]" is missing'],
    ['{"a": hunter2}', 'line 1, column 7: a value is missing or wrong'],
    ['{"a": [1', 'line 1, column 9: "," or "]" is missing'],
    ['{} {}', 'line 1, column 4: something follows the end'],
    ['"a\nb"', 'line 1, column 1: a value is missing or wrong'],
  ])('%j is told apart by its place', (text, fault) => {
    expect(jsonFault(text)).toContain(fault);
    expect(() => parseJson(text)).toThrow(fault);
    expect(() => parseJson(text)).not.toThrow('hunter2');
  });

  it('takes what JSON.parse takes, and nothing else', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(jsonFault(text)).toBeUndefined();
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ maxLength: 3 }))
      .map(([text, at, cut, put]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + cut);
      });
    const sign = fc.constantFrom(
      ...'{}[]:,"\\ \n0123456789-+.eEtrufalsn\u007f\u0001é\ud800'.split(''),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          damaged,
          fc.array(sign, { maxLength: 12 }).map((signs) => signs.join('')),
        ),
        (text) => {
          expect(jsonFault(text) === undefined).toBe(isJson(text));
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('is not led astray by depth or length', () => {
    expect(jsonFault('['.repeat(200_000))).toContain('column 200001');
    expect(jsonFault(`["${'ab'.repeat(10_000_000)}" 1]`)).toContain('"," or "]" is missing');
  });
});
