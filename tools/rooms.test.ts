/** Every room has its row in ARCHITECTURE.md, and every room of core has rules for its imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

function rooms(ring: string): string[] {
  const entries = readdirSync(join(ROOT, 'src', ring), { withFileTypes: true });
  return entries.filter((each) => each.isDirectory()).map(({ name }) => name);
}

const named = new Set(
  [...read('ARCHITECTURE.md').matchAll(/`([\w/*-]+)`/g)].map(([, path]) => path!.split('/').at(-1)),
);

it.each(['core', 'io', 'services', 'web'])('each room of %s is in ARCHITECTURE.md', (ring) => {
  expect(rooms(ring).filter((room) => !named.has(room))).toEqual([]);
});

it('each file that ARCHITECTURE.md names exists', () => {
  const files = [...read('ARCHITECTURE.md').matchAll(/`((?:core|io|services|web)\/[\w/-]+\.ts)`/g)];
  expect(files.length).toBeGreaterThan(10);
  const missing = files.filter(([, file]) => !existsSync(join(ROOT, 'src', file!)));
  expect(missing.map(([, file]) => file)).toEqual([]);
});

it('each room of core has rules for its imports', () => {
  const arrows = read('.dependency-cruiser.cjs');
  expect(
    rooms('core').filter((room) => !new RegExp(`^ {2}${room}: \\[`, 'm').test(arrows)),
  ).toEqual([]);
});
