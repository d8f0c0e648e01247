/**
 * npm runs the install scripts of packages that package.json allows, and warns of those it does not
 * name.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

it('every package with an install script is allowed or denied by name', () => {
  const packages = Object.entries<{ hasInstallScript?: true }>(read('package-lock.json').packages);
  const withScripts = packages
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(Object.keys(read('package.json').allowScripts).sort()).toEqual(withScripts.sort());
});
