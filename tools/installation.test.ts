/**
 * Prevents npm's warnings about installation: scripts that package.json does not name, and packages
 * that need a newer Node.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const { packages } = read('package-lock.json') as {
  packages: Record<string, { hasInstallScript?: true; engines?: { node?: string } }>;
};

it('every package with an install script is allowed or denied by name', () => {
  const withScripts = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(Object.keys(read('package.json').allowScripts).sort()).toEqual(withScripts.sort());
});

it('no package requires a newer Node than package.json does', () => {
  const [oldest] = alternatives(packages['']!.engines!.node!);
  const tooNew = Object.entries(packages).filter(([, { engines }]) =>
    engines?.node && engines.node !== '*'
      ? !alternatives(engines.node).some(admits(oldest!))
      : false,
  );
  expect(tooNew.map(([path]) => path)).toEqual([]);
});

interface Alternative {
  /** True: also later major versions. */
  readonly isOpen: boolean;
  readonly major: number;
  readonly minor: number;
}

/** Parses a range such as `^20.19.0 || >=22.12.0`. */
function alternatives(range: string): readonly Alternative[] {
  return range.split('||').map((part) => {
    const [, sign, major, minor] = /^\s*(>=|\^)?\s*(\d+)(?:\.(\d+))?/.exec(part)!;
    return { isOpen: sign === '>=', major: Number(major), minor: Number(minor ?? 0) };
  });
}

function admits(node: Alternative) {
  return ({ isOpen, major, minor }: Alternative) =>
    (isOpen && major < node.major) || (major === node.major && minor <= node.minor);
}
