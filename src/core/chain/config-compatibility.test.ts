import { describe, expect, it } from 'vitest';
import type { ChainConfig } from './chain-config.ts';
import { configFault as faultAt } from './config-compatibility.ts';
import { chainConfigFromJson } from './genesis.ts';

const configFault = (stored: ChainConfig, next: ChainConfig, number: number, timestamp = 0n) =>
  faultAt(stored, next, { number, timestamp });

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

  it('keeps the id of a chain that has blocks', () => {
    const chain = (chainId: number | undefined, more: object = {}) =>
      quorum({ ...(chainId === undefined ? {} : { chainId }), eip155Block: 0, ...more });
    expect(configFault(chain(1337), chain(999), 427)).toBe(
      'mismatching EIP155 chain ID in database (have 1337, want 999, rewindto 998)',
    );
    expect(configFault(chain(1337), chain(undefined), 427)).toBe(
      'mismatching EIP155 chain ID in database (have 1337, want <nil>, rewindto 1336)',
    );
    expect(configFault(chain(1337), chain(1), 427)).toContain('mismatching EIP155 chain ID');
    // Old chains had no chain id: a new file may add it.
    expect(configFault(chain(undefined), chain(1337), 427)).toBeUndefined();
    expect(configFault(chain(1337), chain(999), 0)).toBeUndefined();
    const late = { eip155Block: 500, eip158Block: 20 };
    expect(configFault(chain(1337, late), chain(999, late), 427)).toBe(
      'mismatching EIP158 chain ID in database (have 20, want 20, rewindto 19)',
    );
    const later = { eip155Block: 500 };
    expect(configFault(chain(1337, later), chain(999, later), 427)).toBeUndefined();
  });

  it('keeps what the DAO fork was taken for', () => {
    const chain = (daoForkSupport: boolean, daoForkBlock = 5) =>
      quorum({ daoForkBlock, daoForkSupport });
    expect(configFault(chain(true), chain(false), 10)).toBe(
      'mismatching DAO fork support flag in database (have 5, want 5, rewindto 4)',
    );
    expect(configFault(chain(true, 15), chain(false, 15), 10)).toBeUndefined();
  });

  it('may name Petersburg where it came with Constantinople', () => {
    const stored = quorum({ constantinopleBlock: 5 });
    expect(
      configFault(stored, quorum({ constantinopleBlock: 5, petersburgBlock: 5 }), 10),
    ).toBeUndefined();
    expect(
      configFault(stored, quorum({ constantinopleBlock: 5, petersburgBlock: 7 }), 10),
    ).toContain('Petersburg fork block');
  });

  it('is reported for the conflict that reaches back farthest', () => {
    const stored = quorum({ byzantiumBlock: 9, istanbulBlock: 9 });
    const next = quorum({ byzantiumBlock: 8, istanbulBlock: 4 });
    expect(configFault(stored, next, 10)).toBe(
      'mismatching Istanbul fork block in database (have 9, want 4, rewindto 3)',
    );
  });

  it('may put a legacy istanbul block into words of today, with the same engine', () => {
    const legacy = chainConfigFromJson({ isQuorum: true, istanbul: { ceil2Nby3Block: 5 } });
    const next = (block: number) =>
      chainConfigFromJson({
        isQuorum: true,
        ibft: {},
        transitions: [{ block, algorithm: 'qbft' }],
      });
    expect(configFault(legacy, next(20), 10)).toBeUndefined();
    const ibft = chainConfigFromJson({ isQuorum: true, ibft: {} });
    expect(configFault(ibft, quorum({}), 10)).toBe(
      'mismatching consensus engine of block 1 in database (have ibft, want qbft)',
    );
  });

  it('may not change the price of gas that blocks were made under, nor whose rules they are', () => {
    const priced = (block: number) => quorum({ enableGasPriceBlock: block });
    expect(configFault(priced(5), priced(7), 10)).toBe(
      'mismatching isGasPriceEnabled of block 5 in database (have true, want false)',
    );
    expect(configFault(quorum({}), priced(11), 10)).toBeUndefined();
    expect(configFault(quorum({}), quorum({ isQuorum: false }), 10)).toBe(
      'mismatching isQuorum of block 1 in database (have true, want false)',
    );
  });

  it("of Besu's kind may change no rule of the past either", () => {
    const besu = (config: object) => chainConfigFromJson({ chainId: 7, qbft: {}, ...config });
    expect(configFault(besu({ londonBlock: 0 }), besu({ londonBlock: 3 }), 10)).toContain(
      'of block 1 in database',
    );
    const timed = (shanghaiTime: number) => besu({ londonBlock: 0, shanghaiTime });
    expect(configFault(timed(50), timed(90), 10, 60n)).toContain('mismatching');
    expect(configFault(timed(50), timed(90), 10, 40n)).toBeUndefined();
  });

  it('may change anything before the first block', () => {
    expect(configFault(quorum({ isMPS: true }), quorum({}), 0)).toBeUndefined();
  });
});
