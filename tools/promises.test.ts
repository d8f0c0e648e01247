/** Each promise about money names the test that checks it, and that test exists. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../docs/internals');
const PROMISES = 96;
const ROW = /^\| (\d+) \| .+ \| (\[.+\)) \|$/;

it('the promises of the ramp have tests', () => {
  const page = readFileSync(resolve(FOLDER, 'ramp-safety.md'), 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const row = ROW.exec(line);
    return row ? [{ number: Number(row[1]), tests: row[2]! }] : [];
  });
  const numbers = rows.map(({ number }) => number).sort((one, other) => one - other);
  expect(numbers).toEqual(Array.from({ length: PROMISES }, (_, at) => at + 1));
  const missing = rows.flatMap(({ number, tests }) =>
    [...tests.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].flatMap(([, title, path]) => {
      const file = resolve(FOLDER, path!);
      const isThere = existsSync(file) && readFileSync(file, 'utf8').includes(title!);
      return isThere ? [] : [`${number}: ${title}`];
    }),
  );
  expect(missing).toEqual([]);
});
