/**
 * `quorate genesis`, `quorate genesis validate`: creates a new network's keys and files; checks a
 * genesis file.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fail } from '../core/base/errors.ts';
import { toHex } from '../core/base/hex.ts';
import { type Engine, engineAt } from '../core/chain/consensus-rules.ts';
import { genesisMistakes } from '../core/chain/explain-genesis.ts';
import { validatorsOf } from '../core/chain/extra-data.ts';
import { genesisBlock, parseGenesis } from '../core/chain/genesis.ts';
import { genesisRemarks } from '../core/chain/genesis-remarks.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { readText } from '../io/host/files.ts';
import { type ParsedOptions, parseOptions } from '../io/options/options.ts';
import { makeNetwork } from '../services/genesis/network.ts';
import { planOf, SETTINGS } from '../services/genesis/options.ts';
import { askAll, type Talk } from '../services/genesis/questions.ts';
import { folderOfTime, writeNetwork } from '../services/genesis/write.ts';
import { generateKey } from '../services/ptm/keygen.ts';
import type { Command } from './command.ts';

export const genesisCommand: Command = {
  name: 'genesis',
  about:
    'Creates a new network: genesis file, node keys, accounts, static-nodes.json. Asks for each setting when none is given.',
  examples: [
    { does: 'asks for everything', line: 'quorate genesis' },
    {
      does: 'four validators and two members with private transaction managers',
      line: 'quorate genesis --consensus qbft --validators 4 --members 2 --bootnodes 0 --tesseraEnabled',
    },
  ],
  rows: SETTINGS,
  async run(options) {
    const chosen = isAsking(options) ? await asked() : options;
    await installCrypto();
    const plan = planOf(chosen);
    const files = await makeNetwork(plan, (password) =>
      generateKey(password === undefined ? {} : { password }),
    );
    const base = chosen.string('outputPath')!;
    const folder = chosen.boolean('noOutputTimestamp')
      ? base
      : join(base, folderOfTime(Date.now()));
    writeNetwork(folder, files);
    console.log(`Artifacts in folder: ${folder}`);
    console.log(`README.md there says what goes where; replace <HOST> by addresses.`);
    return 0;
  },
};

function isAsking(options: ParsedOptions): boolean {
  return SETTINGS.every(({ flag }) => {
    const source = options.source(flag);
    return source === undefined || source === 'default';
  });
}

async function asked(): Promise<ParsedOptions> {
  const lines = createInterface({ input: process.stdin });
  const incoming = lines[Symbol.asyncIterator]();
  const talk: Talk = {
    say: (text) => console.error(text),
    async ask(prompt) {
      console.log(prompt);
      const { value, done } = await incoming.next();
      return done ? undefined : value;
    },
  };
  const argv = await askAll(talk);
  lines.close();
  process.stdin.pause();
  if (argv) return parseOptions(SETTINGS, { argv });
  throw fail(
    'INPUT_MISSING',
    'the answers ended too early: see "quorate genesis --help" for flags',
  );
}

export const genesisValidateCommand: Command = {
  name: 'genesis validate',
  about:
    'Explains every mistake in a genesis file, and notes what has no effect; the exit status is 1 if there is a mistake.',
  operands: '<genesis.json>',
  operandsMax: 1,
  examples: [{ does: 'a file', line: 'quorate genesis validate genesis.json' }],
  rows: [],
  async run(options) {
    const file = options.positional[0];
    if (file === undefined)
      throw fail('OPTION_VALUE_MISSING', 'name the file: quorate genesis validate genesis.json');
    await installCrypto();
    const text = readText(file);
    const mistakes = genesisMistakes(text);
    for (const mistake of mistakes) console.log(`${file}: ${mistake}`);
    if (mistakes.length > 0) {
      console.log(`${mistakes.length} ${mistakes.length === 1 ? 'mistake' : 'mistakes'}`);
      return 1;
    }
    for (const remark of genesisRemarks(text)) console.log(`${file}: note: ${remark}`);
    console.log(`${file} is sound: ${summary(text)}`);
    return 0;
  },
};

const ENGINES: Readonly<Record<Engine, string>> = {
  qbft: 'qbft',
  ibft: 'ibft',
  raft: 'neither qbft nor ibft: for a Raft cluster',
  none: 'no validators: Raft, or a chain of another client',
};

function summary(text: string): string {
  const genesis = parseGenesis(text);
  const { config, alloc } = genesis;
  const engine = engineAt(config, 1);
  const { header } = genesisBlock(genesis, () => new Uint8Array(32));
  const validators = engine === 'qbft' || engine === 'ibft' ? validatorsOf(header) : [];
  return [
    config.chainId === undefined ? 'no chain id' : `chain ${config.chainId}`,
    ENGINES[engine],
    ...(validators.length > 0 ? [`validators ${validators.map(toHex).join(', ')}`] : []),
    `${alloc.length} ${alloc.length === 1 ? 'account' : 'accounts'} with funds or code`,
  ].join('; ');
}
