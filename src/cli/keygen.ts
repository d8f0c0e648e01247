/** `quorate ptm keygen`: keys of a private transaction manager, in Tessera's files. */
import { readFileSync } from 'node:fs';
import { fail } from '../core/base/errors.ts';
import { generateKey, writeKeyPair } from '../services/ptm/keygen.ts';
import type { Command } from './command.ts';

const GROUP = 'Keys';

export const keygenCommand: Command = {
  name: 'ptm keygen',
  about: 'Makes key pairs for a private transaction manager, in the files that Tessera reads.',
  examples: [
    { does: 'tm.pub and tm.key, unlocked', line: 'quorate ptm keygen -filename tm' },
    {
      does: 'two pairs, locked with the password in a file',
      line: 'quorate ptm keygen -filename keys/a,keys/b --password-file password.txt',
    },
  ],
  rows: [
    {
      flag: 'filename',
      type: 'list',
      default: ['tm'],
      about: 'Paths of the pairs, without .pub and .key',
      group: GROUP,
    },
    {
      flag: 'password-file',
      type: 'string',
      about: 'Lock the keys: a password a line, the last one for all that follow',
      group: GROUP,
    },
  ],
  async run(options) {
    const passwordAt = readPasswords(options.string('password-file'));
    for (const [index, path] of options.list('filename').entries()) {
      const password = passwordAt(index);
      const key = await generateKey(password === undefined ? {} : { password });
      await writeKeyPair(path, key);
      console.log(`${key.publicKey}  ${path}.pub ${path}.key`);
    }
    return 0;
  },
};

function readPasswords(file: string | undefined): (index: number) => string | undefined {
  if (file === undefined) return () => undefined;
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '');
  if (lines.length === 0)
    throw fail('OPTION_VALUE_INVALID', `the password file ${file} is empty: give a password`);
  return (index) => lines[Math.min(index, lines.length - 1)];
}
