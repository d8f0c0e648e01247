import { expect, it } from 'vitest';
import { moduleFile } from './module-file.ts';

it('of a build is beside its importer, of sources in the build, wherever both lie', () => {
  const of = (importer: string) => moduleFile('w', importer).pathname;
  expect(of('file:///usr/src/app/dist/io/a.js')).toBe('/usr/src/app/dist/io/w.js');
  expect(of('file:///usr/src/app/src/io/a.ts')).toBe('/usr/src/app/dist/io/w.js');
});
