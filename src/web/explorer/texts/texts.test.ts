/** The languages say the same things. */
import { expect, it } from 'vitest';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';

function names(value: object, before = ''): string[] {
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'object' && part !== null
      ? names(part, `${before}${name}.`)
      : [`${before}${name}`],
  );
}

it.each([
  ['German', de],
  ['Spanish', es],
])('%s has every text that English has, and no other', (_language, texts) => {
  expect(names(texts).sort()).toEqual(names(en).sort());
});
