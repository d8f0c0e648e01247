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

  it('has somebody who makes blocks', () => {
    const check = (change: object, config: object = {}) =>
      checkStart(genesisFromJson({ ...genesisFile({ engine: 'qbft', config }), ...change }));
    const contract = `0x${'77'.repeat(20)}`;
    expect(() => check({})).toThrow('no validators: extraData names none');
    expect(() => check({}, { qbft: { validators: VALIDATORS } })).not.toThrow();
    expect(() =>
      check(
        { alloc: { [contract]: { balance: '0x0', code: '0x00' } } },
        {
          transitions: [
            { block: 0, validatorselectionmode: 'contract', validatorcontractaddress: contract },
          ],
        },
      ),
    ).not.toThrow();
  });

  it('of a Besu file needs validators too', () => {
    const { extraData, ...file } = genesisFile({ engine: 'qbft', validators: VALIDATORS }) as {
      extraData: string;
    };
    const besu = { ...file, config: { chainId: 1337, qbft: {} } };
    const check = (extraData: string) => checkStart(genesisFromJson({ ...besu, extraData }));
    expect(() => check(extraData)).not.toThrow();
    expect(() => check('0x1234')).toThrow('invalid extra data format: the 2 bytes of extraData');
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
