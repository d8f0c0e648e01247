import { describe, expect, it } from 'vitest';
import { ProgramWriter } from '../../../test/differential/program.ts';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { type Address, ZERO_HASH } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { finish } from '../base/pace.ts';
import { Prng } from '../base/prng.ts';
import type { Fork } from '../chain/rules.ts';
import type { Transaction } from '../chain/transaction.ts';
import { STANDARD_PRIVATE } from '../privacy/flags.ts';
import type { HeldPayload } from '../privacy/inputs.ts';
import { type AllocEntry, MemoryReader } from '../state/memory-reader.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { BlockEnvironment } from './environment.ts';
import type { PrivateEffect } from './private-effect.ts';
import { PrivateSpace } from './private-space.ts';
import { runPrivately } from './private-transaction.ts';

const address = (id: number): Address => new Uint8Array(20).fill(id);
const SENDER = address(0xaa);
const [PRIVATE_1, PRIVATE_2, PUBLIC_1, PUBLIC_2] = [0xc1, 0xc2, 0xc3, 0xc4].map(address) as [
  Address,
  Address,
  Address,
  Address,
];
const PUBLIC_BALANCE = 77n;

interface Scene {
  readonly privateCodes: readonly [Uint8Array, Uint8Array];
  readonly publicCodes: readonly [Uint8Array, Uint8Array];
  readonly to: Address | undefined;
  readonly payload: Uint8Array;
  readonly value: bigint;
  readonly fork: Fork;
  /** The privacy terms in the manager's answer. */
  readonly terms?: Partial<Pick<HeldPayload, 'flag' | 'execHash'>>;
  readonly isPrivacyEnhancements?: boolean;
}

const STOP = fromHex('0x00');
const QUIET: Scene = {
  privateCodes: [STOP, STOP],
  publicCodes: [STOP, STOP],
  to: PRIVATE_1,
  payload: fromHex('0x01'),
  value: 0n,
  fork: 'istanbul',
};

function sharedOf({ fork, isPrivacyEnhancements = false }: Scene): BlockEnvironment {
  const block = {
    number: 1,
    timestamp: 1n,
    coinbase: address(9),
    gasLimit: 10_000_000n,
    difficulty: 1n,
    prevRandao: ZERO_HASH,
    baseFee: 0n,
    blobBaseFee: 1n,
  };
  return {
    rules: { ...rulesOfFork(fork), isQuorum: true, isPrivacyEnhancements },
    block,
    blockHash: () => undefined,
    feesTo: address(9),
  };
}

function play(scene: Scene): { effect: PrivateEffect; space: PrivateSpace; isUntouched: boolean } {
  const accountOf = (at: Address, code: Uint8Array, balance: bigint): AllocEntry => {
    return { address: at, code, balance, nonce: 1n, storage: new Map([[1n, 7n]]) };
  };
  const [private1, private2] = scene.privateCodes;
  const [public1, public2] = scene.publicCodes;
  const base = MemoryReader.fromAlloc([
    { address: SENDER, balance: 1_000n, nonce: 3n },
    accountOf(PUBLIC_1, public1, PUBLIC_BALANCE),
    accountOf(PUBLIC_2, public2, PUBLIC_BALANCE),
  ]);
  const privateBase = MemoryReader.fromAlloc([
    accountOf(PRIVATE_1, private1, 0n),
    accountOf(PRIVATE_2, private2, 0n),
  ]);
  const world = new PublicWorld(base.reader, 1);
  const space = new PrivateSpace('private', privateBase, 1);
  world.beginTransaction();
  space.world.beginTransaction();
  const held: HeldPayload = {
    kind: 'held',
    payload: scene.payload,
    flag: STANDARD_PRIVATE,
    managedParties: [],
    affected: [],
    execHash: undefined,
    ...scene.terms,
  } as unknown as HeldPayload;
  const { to, value } = scene;
  const tx = { sender: SENDER, to, value, nonce: 3n, data: new Uint8Array(64) };
  const shared = sharedOf(scene);
  const message = { ...tx, accessList: [], blobVersionedHashes: [] } as unknown as Transaction;
  const gas = { gasPrice: 0n, forExecution: 1_000_000n };
  const effect = finish(runPrivately(space, { base, world }, message, held, shared, gas));
  space.world.finishTransaction(shared.rules);
  world.finishTransaction(shared.rules);
  return { effect, space, isUntouched: world.writeSet().accounts.size === 0 };
}

describe('value', () => {
  it.each([
    ['to a private contract', PRIVATE_1],
    ['to an address that is nowhere', address(0xee)],
    ['to a new contract', undefined],
  ])('%s is more than anybody has in a private state: a failed receipt', (_name, to) => {
    const { effect, isUntouched } = play({ ...QUIET, to, value: 5n });
    expect(effect).toMatchObject({ isFailed: true, fault: 'insufficient balance for transfer' });
    expect(isUntouched).toBe(true);
  });

  it('to a public contract is refused in its own words', () => {
    const { effect, isUntouched } = play({ ...QUIET, to: PUBLIC_1, value: 5n });
    const fault = 'VM in read-only mode. Value transfer prohibited.';
    expect(effect).toMatchObject({ isFailed: true, fault });
    expect(isUntouched).toBe(true);
  });
});

describe('SELFBALANCE of a public contract', () => {
  const tellBalance = fromHex('0x4760005260206000f3');
  /** Code that calls PUBLIC_1 with `opcode` and stores the first word of the output in slot 2. */
  const askBy = (opcode: string, operands: number) => {
    return fromHex(
      `0x60206000${'6000'.repeat(operands - 4)}73${'c3'.repeat(20)}5a${opcode}5060005160025500`,
    );
  };

  it.each([
    ['CALL', 'f1', 7, PUBLIC_BALANCE],
    // COMPAT: the frame stays on the private state, where the contract has no balance.
    ['STATICCALL', 'fa', 6, 0n],
  ])('reached by %s', (_name, opcode, operands, expected) => {
    const { space } = play({
      ...QUIET,
      privateCodes: [askBy(opcode, operands), STOP],
      publicCodes: [tellBalance, STOP],
    });
    expect(space.world.storage(PRIVATE_1, 2n)).toBe(expected);
  });
});

describe('code of a public contract', () => {
  const GAS = '620186a0';
  /**
   * Code that calls PUBLIC_1 with `opcode`; slot 2 is then the call's success flag plus 1, and a
   * log shows that the caller continues.
   */
  const flagBy = (opcode: string, operands: number) =>
    fromHex(
      `0x${'6000'.repeat(operands - 2)}73${'c3'.repeat(20)}${GAS}${opcode}60010160025560006000a000`,
    );
  const MUTATIONS = [
    ['SSTORE', '0x60096001550000'],
    ['LOG0', '0x60006000a000'],
    ['CREATE', '0x600060006000f000'],
    ['CREATE2', '0x6000600060006000f500'],
    ['SELFDESTRUCT', `0x73${'ee'.repeat(20)}ff`],
  ] as const;
  const CALLS = [
    ['CALL', 'f1', 7],
    ['CALLCODE', 'f2', 7],
    ['DELEGATECALL', 'f4', 6],
    ['STATICCALL', 'fa', 6],
  ] as const;

  it.each(
    CALLS.flatMap(([call, opcode, operands]) =>
      MUTATIONS.map(([mutation, code]) => [mutation, call, opcode, operands, code] as const),
    ),
  )('COMPAT: may not %s when it is reached by %s', (_mutation, _call, opcode, operands, code) => {
    const { effect, space, isUntouched } = play({
      ...QUIET,
      privateCodes: [flagBy(opcode, operands), STOP],
      publicCodes: [fromHex(code), STOP],
    });
    expect(effect).toMatchObject({ isFailed: false, logs: [{ address: PRIVATE_1 }] });
    expect(effect.logs).toHaveLength(1);
    expect(space.world.storage(PRIVATE_1, 2n)).toBe(1n);
    expect(space.world.storage(PRIVATE_1, 1n)).toBe(7n);
    expect(isUntouched).toBe(true);
  });

  it.each(MUTATIONS)('says why where the transaction itself went to it: %s', (_name, code) => {
    const { effect } = play({ ...QUIET, to: PUBLIC_1, publicCodes: [fromHex(code), STOP] });
    const fault = 'VM in read-only mode. Mutating opcode prohibited';
    expect(effect).toMatchObject({ isFailed: true, fault, logs: [] });
  });
});

describe('a private contract that leaves what it has to a public account', () => {
  /**
   * PRIVATE_1 calls PRIVATE_2, which destroys itself with `heir` as its beneficiary; then it stores
   * in slot 2 the word that `rest` computes.
   */
  const endFor = (heir: Address, before: string, rest: string, fork: Fork) => {
    const call = `${'6000'.repeat(5)}73${'c2'.repeat(20)}620f4240f150`;
    return play({
      ...QUIET,
      fork,
      privateCodes: [
        fromHex(`0x${before}${call}${rest}60025500`),
        fromHex(`0x73${toHex(heir).slice(2)}ff`),
      ],
    }).space;
  };
  const costOf = (heir: Address, fork: Fork) =>
    endFor(heir, '5a', '5a9003', fork).world.storage(PRIVATE_1, 2n);

  it('COMPAT: pays for a new account before EIP-158, as the private state does not know the heir', () => {
    const nowhere = costOf(address(0xee), 'tangerineWhistle');
    expect(costOf(PUBLIC_1, 'tangerineWhistle')).toBe(nowhere);
    expect(costOf(PRIVATE_1, 'tangerineWhistle')).toBe(nowhere - 25_000n);
    expect(costOf(PUBLIC_1, 'istanbul')).toBe(costOf(PRIVATE_1, 'istanbul'));
  });

  it.each([
    ['istanbul', false],
    ['tangerineWhistle', true],
  ] as const)('COMPAT: hides it behind an empty private one: on %s', (fork, isKept) => {
    const balance = `73${'c3'.repeat(20)}31600101`;
    const { world } = endFor(PUBLIC_1, '', balance, fork);
    expect(world.storage(PRIVATE_1, 2n)).toBe(1n);
    expect(world.exists(PUBLIC_1)).toBe(isKept);
  });
});

describe('an enhanced payload', () => {
  const DISABLED =
    'Privacy enhanced transaction received while privacy enhancements are disabled. Please check your node configuration.';
  const EMPTY_ROOT_HASH = 'privacy metadata has empty MR for stateValidation flag';
  const ZEROS = new Uint8Array(32);

  it.each([
    [1, false, undefined, DISABLED],
    [3, false, undefined, DISABLED],
    [3, true, undefined, EMPTY_ROOT_HASH],
    [3, true, ZEROS, EMPTY_ROOT_HASH],
  ] as const)(
    'with flag %i, enhancements %s and root %s fails in words of its own, and the block stands',
    (flag, isPrivacyEnhancements, execHash, fault) => {
      const terms = { flag, execHash };
      const { effect, isUntouched } = play({ ...QUIET, terms, isPrivacyEnhancements });
      expect(effect).toMatchObject({ isFailed: true, fault });
      expect(isUntouched).toBe(true);
    },
  );
});

describe('hostile payloads', () => {
  it('never throw and never touch the public state', () => {
    const forks: readonly Fork[] = ['homestead', 'byzantium', 'istanbul', 'berlin', 'cancun'];
    let successes = 0;
    for (let seed = 1; seed <= 1_500; seed++) {
      const prng = new Prng(seed);
      const scene: Scene = {
        privateCodes: [ProgramWriter.random(prng), ProgramWriter.random(prng)],
        publicCodes: [ProgramWriter.random(prng), ProgramWriter.random(prng)],
        to: [undefined, PRIVATE_1, PRIVATE_2, PUBLIC_1, SENDER, address(0xee)][prng.below(6)],
        payload: ProgramWriter.random(prng),
        value: BigInt(prng.chance(0.3) ? prng.below(2_000) : 0),
        fork: forks[prng.below(forks.length)]!,
      };
      const { effect, isUntouched } = play(scene);
      if (!isUntouched) throw new Error(`seed ${seed} changes the public state`);
      if (!effect.isFailed) successes++;
    }
    expect(successes).toBeGreaterThan(200);
  });

  it('keep what they wrote in the private state only', () => {
    const write = fromHex('0x600960025500');
    const { effect, space, isUntouched } = play({ ...QUIET, privateCodes: [write, STOP] });
    expect(effect.isFailed).toBe(false);
    expect(isUntouched).toBe(true);
    expect(space.world.storage(PRIVATE_1, 2n)).toBe(9n);
  });
});
