import { describe, expect, it } from 'vitest';
import { fromHex } from '../base/hex.ts';
import { consensusAt, engineAt } from './consensus-rules.ts';
import { genesisFromJson } from './genesis.ts';
import { rulesAt } from './rules.ts';

const FORKS = [
  'homesteadBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
];
const ALL_FORKS = Object.fromEntries(FORKS.map((key) => [key, 0]));
const A = `0x${'aa'.repeat(20)}`;
const B = `0x${'bb'.repeat(20)}`;

const configOf = (config: object) =>
  genesisFromJson({ gasLimit: 1, difficulty: 1, alloc: {}, config }).config;
const quorum = (config: object) =>
  configOf({ isQuorum: true, chainId: 1337, ...ALL_FORKS, ...config });

describe('forks', () => {
  it('ignores forks later than Berlin in a GoQuorum file, and takes ours', () => {
    const config = quorum({ londonBlock: 0, shanghaiTime: 0, berlinBlock: 5 });
    expect(rulesAt(config, 4, 10n ** 18n).fork).toBe('istanbul');
    expect(rulesAt(config, 5, 10n ** 18n)).toMatchObject({ fork: 'berlin', isLondon: false });
    const newer = quorum({ berlinBlock: 0, quorate: { londonBlock: 3, cancunBlock: 7 } });
    expect(rulesAt(newer, 2, 0n).fork).toBe('berlin');
    expect(rulesAt(newer, 3, 0n)).toMatchObject({ fork: 'london', isZeroBaseFee: true });
    expect(rulesAt(newer, 7, 0n)).toMatchObject({
      fork: 'cancun',
      isShanghai: true,
      isParis: true,
    });
    expect(newer.forkIdBlocks).toContain(7n);
  });

  it('takes the switch for votes on permissions, and names what is not a switch', () => {
    expect(quorum({}).votesOnPermissions).toBeUndefined();
    expect(quorum({ quorate: { permissionVotes: true } }).votesOnPermissions).toBe(true);
    expect(() => quorum({ quorate: { permissionVotes: 'yes' } })).toThrow(
      'config.quorate.permissionVotes is not true or false',
    );
    expect(() => quorum({ quorate: { permissionVote: true } })).toThrow(
      'config.quorate has no "permissionvote": it takes londonBlock, parisBlock, shanghaiBlock, cancunBlock, permissionVotes',
    );
  });

  it('gives one record for all blocks between two changes', () => {
    const config = quorum({ berlinBlock: 5 });
    expect(rulesAt(config, 6, 0n)).toBe(rulesAt(config, 600, 99n));
    expect(rulesAt(config, 4, 0n)).not.toBe(rulesAt(config, 5, 0n));
    expect(Object.isFrozen(rulesAt(config, 4, 0n))).toBe(true);
  });

  it('understands Besu files that name the newest fork only', () => {
    const config = configOf({ chainId: 1, berlinBlock: 3, qbft: { blockperiodseconds: 2 } });
    expect(config.format).toBe('besu');
    expect(rulesAt(config, 2, 0n)).toMatchObject({ fork: 'frontier', isEip155: false });
    expect(rulesAt(config, 3, 0n)).toMatchObject({ fork: 'berlin', isEip155: true });
    const shanghai = configOf({ shanghaiTime: 100, londonBlock: 0, zeroBaseFee: true, qbft: {} });
    expect(rulesAt(shanghai, 9, 99n)).toMatchObject({ fork: 'london', isZeroBaseFee: true });
    expect(rulesAt(shanghai, 9, 100n).fork).toBe('shanghai');
  });
});

describe('limits, privacy and gas price', () => {
  it('follow the file and its transitions', () => {
    const config = quorum({
      txnSizeLimit: 48,
      privacyEnhancementsBlock: 4,
      enableGasPriceBlock: 8,
      isMPS: true,
      qbft: {},
      transitions: [
        {
          block: 2,
          contractsizelimit: 64,
          transactionSizeLimit: 128,
          privacyPrecompileEnabled: true,
        },
        { block: 6, 'miner.gaslimit': 900000000, enhancedPermissioningEnabled: true },
        { block: 9, gasPriceEnabled: false, privacyPrecompileEnabled: false },
      ],
    });
    const at = (number: number) => rulesAt(config, number, 0n);
    expect(at(0)).toMatchObject({
      isMps: true,
      codeBytesMax: 24_576,
      transactionBytesMax: 48 * 1024,
    });
    expect(at(2)).toMatchObject({ codeBytesMax: 65_536, transactionBytesMax: 131_072 });
    expect(at(2)).toMatchObject({ isPrivacyPrecompile: true, isPrivacyEnhancements: false });
    expect(at(4).isPrivacyEnhancements).toBe(true);
    expect(at(6)).toMatchObject({ transactionBytesMax: 48 * 1024, minerGasLimit: 900_000_000n });
    expect([at(5).isEnhancedPermissioning, at(6).isEnhancedPermissioning]).toEqual([false, true]);
    expect([at(7).isGasPriceEnabled, at(8).isGasPriceEnabled]).toEqual([false, true]);
    expect(at(9)).toMatchObject({ isGasPriceEnabled: true, isPrivacyPrecompile: false });
  });

  it('lets code grow step by step', () => {
    const config = quorum({
      qbft: {},
      maxCodeSizeConfig: [
        { block: 3, size: 32 },
        { block: 5, size: 64 },
      ],
    });
    const sizes = [2, 3, 5].map((number) => rulesAt(config, number, 0n).codeBytesMax);
    expect(sizes).toEqual([24_576, 32_768, 65_536]);
  });
});

describe('rewards', () => {
  it('go where the acceptance network says', () => {
    const config = quorum({
      ibft: {},
      transitions: [
        { block: 100, algorithm: 'qbft' },
        { block: 110, miningBeneficiary: A, blockReward: '20' },
        { block: 115, beneficiaryMode: 'fixed' },
        { block: 120, blockReward: '0xa' },
        { block: 125, blockReward: '0', beneficiaryMode: 'validators' },
      ],
    });
    const at = (number: number) => rulesAt(config, number, 0n);
    expect(at(99).blockReward).toBe(0n);
    expect(at(109)).toMatchObject({ blockReward: 0n, rewardTo: { kind: 'coinbase' } });
    const fixed = { kind: 'fixed', address: fromHex(A) };
    expect(at(110)).toMatchObject({ blockReward: 20n, rewardTo: fixed });
    expect(at(119)).toMatchObject({ blockReward: 20n, rewardTo: fixed });
    expect(at(120)).toMatchObject({ blockReward: 10n, rewardTo: fixed });
    expect(at(125)).toMatchObject({ blockReward: 0n, rewardTo: { kind: 'coinbase' } });
  });
});

describe('consensus settings', () => {
  it('have the defaults of GoQuorum', () => {
    expect(consensusAt(quorum({ qbft: {} }), 1)).toEqual({
      engine: 'qbft',
      blockPeriodMs: 5000,
      emptyBlockPeriodSeconds: 0,
      requestTimeoutMs: 10_000,
      maxRequestTimeoutMs: 0,
      epoch: 30_000,
      proposerPolicy: 'roundRobin',
      allowedFutureBlockSeconds: 0,
      isCeil2Nby3: true,
      validatorContract: undefined,
      validatorOverride: undefined,
    });
    const cli = { blockPeriodSeconds: 1, requestTimeoutMs: 3000, allowedFutureBlockSeconds: 5 };
    const legacy = quorum({ istanbul: { epoch: 10, policy: 1 } });
    expect(consensusAt(legacy, 1, cli)).toMatchObject({
      engine: 'ibft',
      blockPeriodMs: 1000,
      requestTimeoutMs: 3000,
      epoch: 10,
      proposerPolicy: 'sticky',
      allowedFutureBlockSeconds: 5,
      isCeil2Nby3: false,
    });
  });

  it('change at transitions', () => {
    const config = quorum({
      ibft: { blockPeriodSeconds: 2, RequestTimeoutSeconds: 4, ceil2Nby3Block: 5 },
      transitions: [
        { block: 6, validators: [A], algorithm: 'QBFT', emptyblockperiodseconds: 9 },
        { block: 8, validatorselectionmode: 'contract', validatorcontractaddress: A },
        {
          block: 9,
          validatorselectionmode: 'blockheader',
          validators: [B],
          '2FPlus1Enabled': true,
        },
        {
          block: 10,
          blockperiodseconds: 7,
          emptyblockperiodseconds: 0,
          maxRequestTimeoutSeconds: 60,
        },
      ],
    });
    const at = (height: number) => consensusAt(config, height);
    expect(at(4)).toMatchObject({ engine: 'ibft', blockPeriodMs: 2000, isCeil2Nby3: false });
    expect(at(5)).toMatchObject({ engine: 'ibft', requestTimeoutMs: 4000, isCeil2Nby3: true });
    expect(at(6)).toMatchObject({ engine: 'qbft', emptyBlockPeriodSeconds: 9 });
    expect(at(6)).toMatchObject({ validatorOverride: [fromHex(A)] });
    expect(at(7).validatorOverride).toBeUndefined();
    expect(at(8).validatorContract).toEqual(fromHex(A));
    expect(at(9)).toMatchObject({ validatorContract: undefined, isCeil2Nby3: false });
    expect(at(9)).toMatchObject({ validatorOverride: [fromHex(B)] });
    expect(at(10)).toMatchObject({ blockPeriodMs: 7000, emptyBlockPeriodSeconds: 0 });
    expect(at(10).maxRequestTimeoutMs).toBe(60_000);
  });

  it('name the engine of each height', () => {
    expect(engineAt(quorum({}), 0)).toBe('raft');
    expect(engineAt(configOf({ ethash: {} }), 0)).toBe('none');
    const test = quorum({ istanbul: { testQBFTBlock: 6 } });
    expect([engineAt(test, 5), engineAt(test, 6)]).toEqual(['ibft', 'qbft']);
    const atGenesis = quorum({ transitions: [{ block: 0, algorithm: 'qbft' }] });
    expect(engineAt(atGenesis, 0)).toBe('qbft');
  });

  it('of Besu have their own names', () => {
    const config = configOf({
      londonBlock: 0,
      qbft: { blockperiodseconds: 2, epochlength: 100, blockreward: '5', miningbeneficiary: A },
      transitions: {
        qbft: [
          { block: 9, blockperiodseconds: 4 },
          { block: 5, validatorcontractaddress: B },
        ],
      },
    });
    expect(consensusAt(config, 4)).toMatchObject({
      engine: 'qbft',
      blockPeriodMs: 2000,
      epoch: 100,
    });
    expect(consensusAt(config, 5).validatorContract).toEqual(fromHex(B));
    expect(consensusAt(config, 9).blockPeriodMs).toBe(4000);
    expect(rulesAt(config, 1, 0n)).toMatchObject({
      blockReward: 5n,
      rewardTo: { kind: 'fixed', address: fromHex(A) },
    });
  });
});
