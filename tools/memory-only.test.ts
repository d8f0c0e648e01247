import { expect, it } from 'vitest';
import { wayOutside } from './memory-only.ts';

const FILES: Record<string, string> = {
  'src/pure.test.ts': "import { a } from './pure.ts';\nimport type { Server } from 'node:net';",
  'src/pure.ts': "import { createHash } from 'node:crypto';\nexport const a = createHash;",
  'src/deep.test.ts': "import {\n  b,\n} from '../lib/b.ts';",
  'lib/b.ts': "import { a } from '../src/pure.ts';\nexport { c } from './c.ts';",
  'lib/c.ts': "export const c = async () => (await import('node:net')).createServer();",
  'src/loop.test.ts': "import './one.ts';",
  'src/one.ts': "import './two.ts';",
  'src/two.ts': "import './one.ts';\nimport 'node:fs';",
  'src/vectors.test.ts': "import { readJson } from '../test/vectors/folders.ts';",
  'src/other.test.ts': "import { x } from '../test/vectors/other.ts';",
  'test/vectors/folders.ts': "import { readFileSync } from 'node:fs';",
  'test/vectors/other.ts': "import { readFileSync } from 'node:fs';",
};
const wayOf = (test: string) => wayOutside(test, (path) => FILES[path]!);

it('accepts a test that loads only pure code', () => {
  expect(wayOf('src/pure.test.ts')).toBeUndefined();
});

it('reports the whole import chain to a module that opens a socket', () => {
  const way = ['src/deep.test.ts', 'lib/b.ts', 'lib/c.ts', 'node:net'];
  expect(wayOf('src/deep.test.ts')).toEqual(way);
});

it('ends on circular imports', () => {
  const way = ['src/loop.test.ts', 'src/one.ts', 'src/two.ts', 'node:fs'];
  expect(wayOf('src/loop.test.ts')).toEqual(way);
});

it('accepts recorded vectors, when read by their reader', () => {
  expect(wayOf('src/vectors.test.ts')).toBeUndefined();
  expect(wayOf('src/other.test.ts')).toBeDefined();
});
