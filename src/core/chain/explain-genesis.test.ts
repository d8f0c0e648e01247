/** Genesis files with one mistake of each kind, and with many at once. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OWN_VECTORS, readJson } from '../../../test/vectors/folders.ts';
import { genesisMistakes } from './explain-genesis.ts';

const GOOD = readJson(join(OWN_VECTORS, 'goquorum/public-chain/genesis.json')) as any;
const mistakesOf = (change: (file: any) => void): string[] => {
  const file = structuredClone(GOOD);
  change(file);
  return genesisMistakes(JSON.stringify(file));
};

it('files that nodes of GoQuorum were started with have none', () => {
  expect(genesisMistakes(JSON.stringify(GOOD))).toEqual([]);
  for (const name of ['private-chain', 'mps-chain', 'gas-price-chain']) {
    const file = readJson(join(OWN_VECTORS, 'goquorum', name, 'genesis.json'));
    expect([name, genesisMistakes(JSON.stringify(file))]).toEqual([name, []]);
  }
});

it.each<[string, (file: any) => void, string]>([
  ['no gas limit', (file) => delete file.gasLimit, '"gasLimit" is missing'],
  ['no difficulty', (file) => delete file.difficulty, '"difficulty" is missing'],
  ['no accounts', (file) => delete file.alloc, '"alloc" is missing'],
  ['no configuration', (file) => delete file.config, '"config" is missing'],
  ['a slip of the pen', (file) => (file.gaslimmit = '0x1'), '"gaslimmit" means nothing'],
  ['a size of transactions', (file) => (file.config.txnSizeLimit = 500), 'between 32 and 128'],
  ['an address', (file) => (file.alloc.x = { balance: '1' }), 'alloc: "x" is not an address'],
  ['a balance', (file) => (file.alloc['11'.repeat(20)] = {}), "required field 'balance'"],
  ['the order of forks', (file) => (file.config.istanbulBlock = 9), 'unsupported fork ordering'],
  ['extra data', (file) => (file.extraData = '0x00'), 'invalid extra data format'],
  ['the digest', (file) => (file.mixHash = `0x${'00'.repeat(32)}`), 'mixHash must be'],
  ['the difficulty of validators', (file) => (file.difficulty = '0x2'), 'invalid difficulty'],
  ['chain id 1', (file) => (file.config.chainId = 1), 'Cannot have chain id or network id as 1'],
  ['two engines', (file) => (file.config.ibft = {}), 'mutually exclusive'],
  [
    'transitions out of order',
    (file) => (file.config.transitions = [{ block: 9 }, { block: 3 }]),
    'block order should be ascending',
  ],
])('%s', (_, change, text) => {
  const mistakes = mistakesOf(change);
  expect(mistakes.length).toBe(1);
  expect(mistakes[0]).toContain(text);
});

it('all at once', () => {
  const mistakes = mistakesOf((file) => {
    delete file.gasLimit;
    file.difficulty = 'much';
    file.config.txnSizeLimit = 500;
    file.config.transitions = [{}];
    file.config.istanbulBlock = 9;
    file.alloc.x = { balance: '1' };
    file.extraData = '0x00';
  });
  for (const text of ['gasLimit', 'difficulty', '32 and 128', 'block number not given', '"x"'])
    expect(mistakes.join('\n')).toContain(text);
  expect(mistakes.join('\n')).toContain('invalid extra data format');
});

it('what is not JSON, and not an object', () => {
  expect(genesisMistakes('{ "config": ')[0]).toContain('no valid JSON');
  expect(genesisMistakes('[]')).toEqual(['the file is not an object']);
});
