import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, it } from 'vitest';
import { isQuick } from '../test/support/effort.ts';
import { contractFiles } from './compile-contracts.ts';

it('files generated from contracts match their sources: npm run contracts', ({ skip }) => {
  if (isQuick) skip('npm test compiles the contracts');
  const files = contractFiles();
  expect(files.size).toBeGreaterThan(1);
  for (const [path, text] of files) {
    expect(readFileSync(path, 'utf8'), relative(process.cwd(), path)).toBe(text);
  }
});
