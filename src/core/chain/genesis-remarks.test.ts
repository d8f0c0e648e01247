/** Tests each entry of a genesis file that has no effect. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OWN_VECTORS, readJson } from '../../../test/vectors/folders.ts';
import { genesisRemarks } from './genesis-remarks.ts';

const GOOD = readJson(join(OWN_VECTORS, 'goquorum/public-chain/genesis.json')) as any;

const remarksOf = (change: (file: any) => void): string[] => {
  const file = structuredClone(GOOD);
  change(file);
  return genesisRemarks(JSON.stringify(file));
};

it('a file of GoQuorum has none', () => {
  expect(remarksOf(() => {})).toEqual([]);
});

it.each<[(file: any) => void, string]>([
  [(file) => delete file.config.chainId, 'config.chainId is missing: '],
  [(file) => (file.config.chainId = 0), 'config.chainId is 0: '],
  [(file) => (file.gasLimit = '0x1'), 'gasLimit is 1: no transaction fits'],
  [(file) => (file.config.qbft = { epoch: 5 }), 'config.qbft.epoch means nothing: epochlength is'],
  [(file) => (file.config.foo = 1), 'config.foo means nothing'],
  [
    (file) => (file.config.londonBlock = 0),
    'config.londonblock has no effect, as in GoQuorum: config.quorate activates newer forks',
  ],
  [
    (file) => (file.config.qbft.blockperiod = 5),
    'config.qbft.blockperiod means nothing: blockperiodseconds is meant?',
  ],
  [
    (file) => (file.config.transitions = [{ block: 5, contractSize: 32 }]),
    'config.transitions[0].contractsize means nothing: contractsizelimit is meant?',
  ],
  [(file) => (file.config.qbft.epochlength = 0), 'config.qbft.epochlength is 0: the default'],
  [
    (file) =>
      Object.assign(file.config.qbft, { blockperiodseconds: 5, emptyblockperiodseconds: 2 }),
    'config.qbft.emptyblockperiodseconds is shorter than blockperiodseconds',
  ],
  [
    (file) => (file.config.qbft.validatorselectionmode = 'x'),
    'config.qbft.validatorselectionmode "x" is neither contract nor blockheader',
  ],
  [
    (file) => (file.config.qbft.beneficiaryMode = 'fixed'),
    'config.qbft.beneficiaryMode is fixed without miningBeneficiary: address 0 is rewarded',
  ],
])('%s', (change, text) => {
  expect(remarksOf(change)).toEqual([expect.stringContaining(text)]);
});
