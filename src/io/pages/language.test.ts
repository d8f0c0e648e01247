import { expect, it } from 'vitest';
import { languageOf } from './language.ts';

it.each([
  [undefined, undefined, 'en'],
  ['de-AT,en;q=0.5', undefined, 'de'],
  ['fr, es;q=0.8', undefined, 'es'],
  ['de', 'es-MX', 'es'],
  ['de', 'xx', 'de'],
  ['zh', 'xx', 'en'],
])('%s, asked for %s: %s', (accepted, asked, language) => {
  expect(languageOf(accepted, asked)).toBe(language);
});
