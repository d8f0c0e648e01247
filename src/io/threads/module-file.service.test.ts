import { expect, it } from 'vitest';
import { builtModule } from './module-file.ts';

it('of sources is in the build, of a bundle in the bundle, wherever they lie', () => {
  const of = (file: string, runsFrom: 'sources' | 'build' | 'bundle') =>
    builtModule(new URL(file), runsFrom).pathname;
  expect(of('file:///usr/src/app/dist/io/w.js', 'build')).toBe('/usr/src/app/dist/io/w.js');
  expect(of('file:///usr/src/app/src/io/w.js', 'sources')).toBe('/usr/src/app/dist/io/w.js');
  expect(of('file:///a/dist/b/dist/io/w.js', 'bundle')).toBe('/a/dist/b/dist/bundle/io/w.js');
});
