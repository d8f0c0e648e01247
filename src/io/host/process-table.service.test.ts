import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { endsWithTest } from '../../../test/support/ends-with-test.ts';
import { commandLineOf } from './process-table.ts';

it('shows a command in one line, without what would steer a terminal', async () => {
  const wait = 'process.stdin.resume(); console.log("up")';
  const child = endsWithTest(spawn(process.execPath, ['-e', wait, 'two\nlines\u001b[2J']));
  await once(child.stdout, 'data');
  expect(commandLineOf(child.pid!)).toMatch(/ two lines \[2J$/);
  child.kill();
  await once(child, 'exit');
});
