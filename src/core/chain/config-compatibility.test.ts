import { describe, expect, it } from 'vitest';
import { configFault } from './config-compatibility.ts';
import { chainConfigFromJson } from './genesis.ts';

const quorum = (config: object) => chainConfigFromJson({ isQuorum: true, qbft: {}, ...config });
const steps = (...transitions: object[]) => quorum({ transitions });

describe('a newer genesis file', () => {
  it('may change the future', () => {
    const stored = steps({ block: 5, blockperiodseconds: 2 });
    const next = steps({ block: 5, blockperiodseconds: 2 }, { block: 50, blockperiodseconds: 1 });
    expect(configFault(stored, next, 10)).toBeUndefined();
    expect(configFault(quorum({}), steps({ block: 20 }), 10)).toBeUndefined();
    expect(
      configFault(quorum({ berlinBlock: 20 }), quorum({ berlinBlock: 30 }), 10),
    ).toBeUndefined();
  });

  it('may not change the past', () => {
    const stored = steps({ block: 5, blockperiodseconds: 2 });
    expect(configFault(stored, steps({ block: 5, blockperiodseconds: 3 }), 10)).toBe(
      'mismatching transitions.BlockPeriodSeconds data incompatible. BlockPeriodSeconds historical data does not match in database (have 10, want 10, rewindto 9)',
    );
    expect(configFault(stored, quorum({}), 10)).toContain(
      'genesis file missing transitions information',
    );
    expect(
      configFault(stored, steps({ block: 5, blockperiodseconds: 2 }, { block: 6 }), 10),
    ).toContain('transitions data incompatible. updating transitions for past');
    expect(configFault(quorum({}), quorum({ berlinBlock: 7 }), 10)).toBe(
      'mismatching Berlin fork block in database (have <nil>, want 7, rewindto 6)',
    );
    expect(configFault(quorum({}), quorum({ quorate: { londonBlock: 9 } }), 10)).toBe(
      'mismatching London fork block in database (have <nil>, want 9, rewindto 8)',
    );
    expect(configFault(quorum({ isMPS: true }), quorum({}), 10)).toContain('cannot be changed');
    const sizes = (size: number) => quorum({ maxCodeSizeConfig: [{ block: 2, size }] });
    expect(configFault(sizes(32), sizes(64), 10)).toContain('maxCodeSize historical data');
  });

  it('may not bring transitions to the past of a chain that had none', () => {
    expect(configFault(quorum({}), steps({ block: 10 }), 10)).toContain(
      'transitions data incompatible. updating transitions for past',
    );
    expect(configFault(quorum({}), steps({ block: 11 }), 10)).toBeUndefined();
  });

  const contract = `0x${'77'.repeat(20)}`;
  it.each([
    ['Algorithm', { algorithm: 'qbft' }],
    ['RequestTimeoutSeconds', { requesttimeoutseconds: 3 }],
    ['EpochLength', { epochlength: 100 }],
    ['ContractSizeLimit', { contractsizelimit: 64 }],
    ['ValidatorContractAddress', { validatorcontractaddress: contract }],
    ['ValidatorSelectionMode', { validatorselectionmode: 'contract' }],
    ['Miner GasLimit', { 'miner.gaslimit': 900_000_000 }],
    ['2FPlus1Enabled', { '2FPlus1Enabled': true }],
    ['TransactionSizeLimit', { transactionSizeLimit: 128 }],
    ['EmptyBlockPeriodSeconds', { emptyblockperiodseconds: 9 }],
    ['Validators', { validators: [contract] }],
    ['BlockReward', { blockReward: '5' }],
    ['BeneficiaryMode', { beneficiaryMode: 'fixed' }],
    ['MiningBeneficiary', { miningBeneficiary: contract }],
    ['GasPriceEnabled', { gasPriceEnabled: true }],
  ])('may not change %s of a past transition, and may of a coming one', (name, change) => {
    const fault = `transitions.${name} data incompatible. ${name} historical data does not match`;
    const at = (block: number, more: object) => steps({ block, ...more });
    expect(configFault(at(5, {}), at(5, change), 10)).toContain(fault);
    expect(configFault(at(5, change), at(5, change), 10)).toBeUndefined();
    expect(configFault(at(15, {}), at(15, change), 10)).toBeUndefined();
  });

  it('may change anything before the first block', () => {
    expect(configFault(quorum({ isMPS: true }), quorum({}), 0)).toBeUndefined();
  });
});
