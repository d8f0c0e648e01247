import { describe, expect, it } from 'vitest';
import { genesisFile } from '../../../test/support/genesis-file.ts';
import { checkStart } from './check-start.ts';
import { genesisFromJson } from './genesis.ts';

const VALIDATORS = [`0x${'11'.repeat(20)}`];

function check(engine: 'qbft' | 'ibft' | 'raft', change: object, config: object = {}): void {
  const file = genesisFile({ engine, validators: VALIDATORS, config });
  checkStart(genesisFromJson({ ...file, ...change }));
}

describe('a chain that starts', () => {
  it.each(['qbft', 'ibft', 'raft'] as const)('of %s passes as operators write it', (engine) => {
    expect(() => check(engine, {})).not.toThrow();
  });

  it.each([
    [{ extraData: '0x' }, 'invalid extra data format'],
    [{ mixHash: `0x${'00'.repeat(32)}` }, 'invalid Istanbul mix digest'],
    [{ difficulty: '0x5' }, 'invalid difficulty'],
  ])('with %j makes no block: it is refused', (change, fault) => {
    for (const engine of ['qbft', 'ibft'] as const)
      expect(() => check(engine, change)).toThrow(`BFT: invalid genesis block: ${fault}`);
    expect(() => check('raft', change)).not.toThrow();
  });

  it('has one engine, and an id of its own', () => {
    expect(() => check('qbft', {}, { ibft: {} })).toThrow(
      'the attributes config.IBFT and config.QBFT are mutually exclusive on the genesis file',
    );
    expect(() => check('qbft', {}, { istanbul: {} })).toThrow(
      'the attributes config.Istanbul and config.[IBFT|QBFT] are mutually exclusive on the genesis file',
    );
    expect(() => check('qbft', {}, { chainId: 1 })).toThrow(
      'Cannot have chain id or network id as 1.',
    );
  });
});
