import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonSplitter } from './json-splitter.ts';

const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));

it('cuts a stream into its values, wherever it is torn', () => {
  fc.assert(
    fc.property(
      fc.array(value),
      fc.array(fc.nat(60)),
      fc.constantFrom('', '\n', ' '),
      (values, cuts, gap) => {
        const stream = values.map((each) => JSON.stringify(each)).join(gap);
        const splitter = new JsonSplitter();
        const found: string[] = [];
        let at = 0;
        for (const cut of [...cuts, stream.length]) {
          found.push(...splitter.push(stream.slice(at, at + cut))!);
          at += cut;
        }
        expect(found.map((text) => JSON.parse(text))).toEqual(
          values.map((each) => JSON.parse(JSON.stringify(each))),
        );
      },
    ),
  );
});

it('hands on a broken line, so that it is answered', () => {
  expect(new JsonSplitter().push('nonsense\n')!.map((text) => text.trim())).toEqual(['nonsense']);
});

it('gives up on a value that is too long', () => {
  const splitter = new JsonSplitter();
  expect(splitter.push('[')).toEqual([]);
  const megabyte = '1,'.repeat(512 * 1024);
  let out: string[] | undefined = [];
  for (let i = 0; i < 16 && out; i++) out = splitter.push(megabyte);
  expect(out).toBeUndefined();
});
