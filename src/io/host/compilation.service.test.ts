import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { COMPILATION_FLAGS } from './compilation.ts';

it('V8 knows each flag', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(COMPILATION_FLAGS.length).toBeGreaterThan(0);
  for (const flag of COMPILATION_FLAGS) expect(known).toContain(`${flag.split('=')[0]} (`);
});
