import { expect, it } from 'vitest';
import { incompleteInstallation } from './incomplete-installation.ts';

it.each([
  [
    'lmdb',
    'No native build was found for platform=linux arch=x64 runtime=node abi=115 uv=1 libc=glibc node=20.20.2\n    attempted loading from: /srv/q/node_modules/lmdb and package: @lmdb/lmdb-linux-x64\nError',
  ],
  [
    '@photostructure/sqlite',
    'No native build was found for platform=linux arch=x64\n    loaded from: /srv/q/node_modules/@photostructure/sqlite\n',
  ],
])('names %s, and how to complete the installation', (name, message) => {
  const { code, message: told } = incompleteInstallation(new Error(message))!;
  expect(code).toBe('INSTALLATION_INCOMPLETE');
  expect(told).toContain(`the package ${name} is installed without its compiled part`);
  expect(told).toContain(`npm rebuild ${name}`);
});

it('leaves other errors alone', () => {
  expect(incompleteInstallation(new Error("Cannot find package 'pg'"))).toBeUndefined();
  expect(incompleteInstallation(undefined)).toBeUndefined();
});
