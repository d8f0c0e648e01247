/** `quorate ptm keygen`: keys of a private transaction manager, in Tessera's files. */

import { toBase64 } from '../../core/base/base64.ts';
import { fail } from '../../core/base/errors.ts';
import { readText } from '../../io/host/files.ts';
import { type FlagNeed, flagsInVain, given, sayInVain } from '../../io/options/needs.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { storeVaultKey, vaultType } from '../../services/ptm/config/vault-keys.ts';
import { generateKey, generatePair, writeKeyPair } from '../../services/ptm/keygen.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';

const GROUP = 'Keys';
const VAULT_GROUP = 'Key vault';
const WARN = 2;
const NEEDS: readonly FlagNeed[] = [
  {
    flags: ['keygenvaulturl', 'keygenvaultsecretengine', 'keygenvaultapprole'],
    isMet: given('keygenvaulttype'),
    what: '--keygenvaulttype: the keys are written to files',
  },
  {
    flags: ['keygenvaultsecretengine', 'keygenvaultapprole'],
    isMet: ({ options }) =>
      ['HASHICORP', undefined].includes(options.string('keygenvaulttype')?.toUpperCase()),
    what: '--keygenvaulttype HASHICORP',
  },
];

export const keygenCommand: Command = {
  name: 'ptm keygen',
  about: "Creates key pairs for a private transaction manager, in Tessera's file format.",
  examples: [
    { does: 'tm.pub and tm.key, not encrypted', line: 'quorate ptm keygen -filename tm' },
    {
      does: 'two pairs, encrypted with the password in a file',
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
      unit: 'file',
      about: 'Encrypt the keys: one password per line, the last one for all further keys',
      group: GROUP,
    },
    {
      flag: 'keygenvaulttype',
      type: 'string',
      about: 'Store the keys in a vault: HASHICORP, AWS or AZURE; -filename then names secrets',
      group: VAULT_GROUP,
    },
    {
      flag: 'keygenvaulturl',
      type: 'string',
      about: 'URL of the vault',
      group: VAULT_GROUP,
    },
    {
      flag: 'keygenvaultsecretengine',
      type: 'string',
      default: 'secret',
      about: 'HashiCorp: name of the version 2 secrets engine',
      group: VAULT_GROUP,
    },
    {
      flag: 'keygenvaultapprole',
      type: 'string',
      default: 'approle',
      about: 'HashiCorp: mount path of AppRole',
      group: VAULT_GROUP,
    },
  ],
  async run(options) {
    sayInVain(flagsInVain({ options }, NEEDS), stderrLog(WARN));
    const vault = options.string('keygenvaulttype');
    if (vault !== undefined) return keygenInVault(vault, options);
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

/** Prints the `keyData` entry of each pair, for the configuration. */
async function keygenInVault(type: string, options: ParsedOptions): Promise<number> {
  if (options.string('password-file') !== undefined) {
    throw fail('OPTION_VALUE_INVALID', 'keys in a vault are not encrypted: omit --password-file');
  }
  const config = {
    type: vaultType(type),
    url: options.string('keygenvaulturl'),
    approlePath: options.string('keygenvaultapprole'),
  };
  const engine = options.string('keygenvaultsecretengine') ?? 'secret';
  for (const name of options.list('filename')) {
    const key = await generatePair();
    const entry = await storeVaultKey(config, key, name, engine, process.env);
    console.log(`${toBase64(key.publicKey)}  ${JSON.stringify(entry)}`);
  }
  return 0;
}

function readPasswords(file: string | undefined): (index: number) => string | undefined {
  if (file === undefined) return () => undefined;
  const lines = readText(file)
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '');
  if (lines.length === 0)
    throw fail('OPTION_VALUE_INVALID', `the password file ${file} is empty: give a password`);
  return (index) => lines[Math.min(index, lines.length - 1)];
}
