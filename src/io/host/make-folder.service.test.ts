import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { makeFolder } from './make-folder.ts';

const root = scratchFolder('quorate-make-folder-');

it('makes what is missing above it, with its rights, and leaves what is there', () => {
  const path = join(root, 'a/b/c');
  makeFolder(path, 0o700);
  writeFileSync(join(path, 'kept'), '');
  makeFolder(path, 0o755);
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
  expect(existsSync(join(path, 'kept'))).toBe(true);
});

it('fails at a file in the way, and where the system makes no folders', ({ skip }) => {
  writeFileSync(join(root, 'file'), '');
  expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(root, 'file/below/it'))).toThrow('ENOTDIR');
  if (!existsSync('/proc/self')) skip('no /proc here');
  expect(() => makeFolder('/proc/x')).toThrow('ENOENT');
  expect(() => makeFolder('/proc/x/y/z')).toThrow('ENOENT');
});
