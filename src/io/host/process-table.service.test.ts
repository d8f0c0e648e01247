import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { commandLineOf, isAlive, parentOf } from './process-table.ts';

it('knows a process, its parent and its arguments, and that it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'a word']);
  await once(child, 'spawn');
  expect(isAlive(child.pid!)).toBe(true);
  expect(parentOf(child.pid!)).toBe(process.pid);
  expect(commandLineOf(child.pid!)).toContain('process.stdin.resume() a word');
  const ended = once(child, 'exit');
  child.stdin.end();
  await ended;
  expect(isAlive(child.pid!)).toBe(false);
  expect(parentOf(child.pid!)).toBeUndefined();
  expect(commandLineOf(child.pid!)).toBe('');
});

it('a process whose status nobody has asked for is not alive', async () => {
  // The shell starts one that ends with its input, then becomes a program that asks for no status.
  const script = 'cat <&3 >/dev/null & echo $!; exec 3<&-; exec sleep 60';
  const shell = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  try {
    const [data] = await once(shell.stdout!, 'data');
    const pid = Number(String(data));
    await expect.poll(() => commandLineOf(shell.pid!)).toBe('sleep 60');
    expect(isAlive(pid)).toBe(true);
    shell.stdio[3]!.destroy();
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(() => process.kill(pid, 0)).not.toThrow();
  } finally {
    shell.kill('SIGKILL');
  }
});
