import { expect, it } from 'vitest';
import { wordFaults } from './words.ts';

it.each([
  'class SendDesk {}',
  'const lane = 1;',
  'new ValidatorBook()',
  'interface TokenFacts {',
  '// a token that is had when it is first needed',
  "fail('it is no URL')",
  '// the index is made anew at the next start',
  "about: 'A file with a password a line'",
  "fail('leave it away for the embedded store')",
  'messages are sent again at the latest then',
  '// undefined: it is no packet',
  'keys that are kept for ever, unless they are passed over',
  '/** What the caller gets for his request. */',
  "it('stops, and goes on at once')",
  "it('a port that is taken is told with its code')",
  '// A page that is not as it was written.',
  '// The answer of who asks.',
  '// transfers to ever new accounts',
  "it('tells of blocks that come', () => {",
  '// The password is looked at first.',
  "name: 'blocks a second'",
  '// It opens as it stands.',
  '// A request that does not come whole.',
])('reports words that this code does not use: %s', (line) => {
  expect(wordFaults('a.ts', `\n${line}`)).toEqual([expect.stringMatching(/^a\.ts:2: ".+": say /)]);
});

it('accepts everything else', () => {
  const text =
    '// There is no URL. The handbook of facts: this, the other, under way.\nconst island = 1;';
  expect(wordFaults('a.ts', text)).toEqual([]);
});
