import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CodeFolder, codeFolders } from './code-folder.ts';

const CODE = new Map([['a.js', { checksum: 1, code: Buffer.from('code') }]]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-code-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const onlyFile = () => join(folder, readdirSync(folder)[0]!);

it('what was written is read, by its group', () => {
  new CodeFolder([folder]).write('a.js', CODE);
  expect(new CodeFolder([folder]).read('a.js')).toEqual(CODE);
  expect(new CodeFolder([folder]).read('b.js').size).toBe(0);
});

it('a later file replaces it, and nothing else is left', () => {
  const code = new CodeFolder([folder]);
  const later = new Map([['a.js', { checksum: 2, code: Buffer.from('later') }]]);
  code.write('a.js', CODE);
  code.write('a.js', later);
  expect(code.read('a.js')).toEqual(later);
  expect(readdirSync(folder)).toHaveLength(1);
});

it('a damaged file is not used, and replaced', () => {
  const code = new CodeFolder([folder]);
  code.write('a.js', CODE);
  writeFileSync(onlyFile(), 'torn');
  expect(code.read('a.js').size).toBe(0);
  code.write('a.js', CODE);
  expect(code.read('a.js')).toEqual(CODE);
});

it('a file, or a folder, that others may write to is not used', () => {
  const code = new CodeFolder([folder]);
  code.write('a.js', CODE);
  const file = onlyFile();
  for (const mode of [0o664, 0o646]) {
    chmodSync(file, mode);
    expect(code.read('a.js').size).toBe(0);
  }
  chmodSync(file, 0o644);
  for (const mode of [0o775, 0o757]) {
    chmodSync(folder, mode);
    expect(code.read('a.js').size).toBe(0);
    code.write('b.js', CODE);
    expect(readdirSync(folder)).toHaveLength(1);
  }
  chmodSync(folder, 0o755);
  expect(code.read('a.js')).toEqual(CODE);
});

it('what is written is read again, whatever the file mask of the process', () => {
  const mask = process.umask(0);
  try {
    new CodeFolder([join(folder, 'new')]).write('a.js', CODE);
  } finally {
    process.umask(mask);
  }
  expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o755);
  expect(new CodeFolder([join(folder, 'new')]).read('a.js')).toEqual(CODE);
});

it('where the first folder cannot be written, the next is; without any, nothing happens', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const impossible = join(file, 'folder');
  const second = join(folder, 'second');
  new CodeFolder([impossible, second]).write('a.js', CODE);
  expect(new CodeFolder([impossible, second]).read('a.js')).toEqual(CODE);
  expect(readdirSync(second)).toHaveLength(1);
  new CodeFolder([impossible]).write('a.js', CODE);
  expect(new CodeFolder([impossible]).read('a.js').size).toBe(0);
});

it('a folder is bounded: the oldest files make room', () => {
  const bytes = 200;
  const code = new CodeFolder([folder], bytes);
  mkdirSync(join(folder, 'of-somebody'));
  writeFileSync(join(folder, 'old'), Buffer.alloc(bytes / 2));
  utimesSync(join(folder, 'old'), 1, 1);
  for (const group of ['a.js', 'b.js', 'c.js', 'd.js']) code.write(group, CODE);
  const names = readdirSync(folder);
  expect(names).not.toContain('old');
  expect(names).toContain('of-somebody');
  const sizes = names.map((name) => statSync(join(folder, name))).filter((each) => each.isFile());
  expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(bytes);
  expect(code.read('d.js')).toEqual(CODE);
});

it('a file above the bound is neither written nor read', () => {
  const small = new CodeFolder([folder], 20);
  small.write('a.js', CODE);
  expect(readdirSync(folder)).toEqual([]);
  new CodeFolder([folder]).write('a.js', CODE);
  expect(small.read('a.js').size).toBe(0);
});

it('the folders are beside the bundle and among the caches of the user, or none', () => {
  expect(codeFolders('/a', { XDG_CACHE_HOME: '/c', HOME: '/h' })).toEqual(['/a', '/c/quorate']);
  expect(codeFolders('/a', { HOME: '/h' })).toEqual(['/a', '/h/.cache/quorate']);
  for (const environment of [{}, { HOME: '' }, { XDG_CACHE_HOME: 'relative' }])
    expect(codeFolders('/a', environment)).toEqual(['/a']);
  expect(codeFolders('/a', { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
});
