/** Where a file of the project stands in the site; undefined: the site does not hold it. */
const FILES: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'README.md': 'index.md',
  'SECURITY.md': 'security.md',
  'docs/internals/README.md': 'internals/index.md',
  'site/index.md': 'index.md',
};

export function placeOf(file: string): string | undefined {
  return FILES[file] ?? /^docs\/(.+\.md)$/.exec(file)?.[1];
}
