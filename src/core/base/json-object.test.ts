import fc from 'fast-check';
import { expect, it } from 'vitest';
import { repeatedPath } from './json-object.ts';

it.each([
  ['{"a":1,"b":{"a":2}}', undefined],
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"fiat":[{"id":"usd"},{"limits":{"min":"1","max":"2","min":"3"}}]}', 'fiat[1].limits.min'],
  ['{"a":"{,}[","b":[[1,2],{"c":1,"c":1}]}', 'b[1].c'],
  ['[{"a":1},{"a":1,"a":1}]', '[1].a'],
  ['[]', undefined],
])('%s has the duplicate name %s', (text, path) => {
  expect(repeatedPath(text)).toBe(path);
});

it('finds none in what has none, and the one that was put into it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), fc.nat(), (value, name, count) => {
      expect(repeatedPath(JSON.stringify(value))).toBeUndefined();
      const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
      const before = [...Array(count % 5).keys()].map(() => JSON.stringify(value));
      const text = `{"in":[${[...before, `{${member},${member}}`].join(',')}]}`;
      expect(repeatedPath(text)).toBe(`in[${count % 5}].${name}`);
    }),
  );
});
