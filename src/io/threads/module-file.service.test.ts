import { expect, it } from 'vitest';
import { builtModule } from './module-file.ts';

it('of a build is where it is, of sources in the build, wherever both lie', () => {
  const of = (file: string, isSource: boolean) => builtModule(new URL(file), isSource).pathname;
  expect(of('file:///usr/src/app/dist/io/w.js', false)).toBe('/usr/src/app/dist/io/w.js');
  expect(of('file:///usr/src/app/src/io/w.js', true)).toBe('/usr/src/app/dist/io/w.js');
});
