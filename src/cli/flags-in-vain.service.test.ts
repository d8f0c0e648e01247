/** Flags that have no effect in an invocation: the command says so, and does its work. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandRun } from '../../test/support/command-run.ts';
import { scratchFolder } from '../../test/support/scratch.ts';

const root = scratchFolder('quorate-in-vain-');
const STORE = ['--datadir', join(root, 'staking')];
const ADD = ['client', 'add', '--name', 'x', '--audience', 'https://x/', ...STORE];

it.each<[readonly string[], string]>([
  [['staking', ...ADD, '--overlap', '1h'], 'flags=--overlap why="it needs the action rotate"'],
  [
    ['staking', 'client', 'list', ...STORE, '--name', 'x', '--scope', 'y'],
    'flags="--name --scope" why="they need the action add"',
  ],
  [
    ['staking', 'reward', 'list', ...STORE, '--amount', '5'],
    'flags=--amount why="it needs the action add"',
  ],
  [
    ['ptm', 'keygen', '--filename', join(root, 'tm'), '--keygenvaulturl', 'http://x'],
    'flags=--keygenvaulturl why="it needs --keygenvaulttype: the keys are written to files"',
  ],
])('%j', async (argv, text) => {
  const { status, lines } = await commandRun(...argv);
  const told = lines.filter((line) => line.includes('without effect'));
  expect(told).toHaveLength(1);
  expect(told[0]!.replaceAll(/ +/g, ' ')).toContain(text);
  expect(status).toBe(0);
});
