/** Runs one random case in our EVM and in @ethereumjs/evm, and reports the differences. */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { createAccount, Account as TheirAccount, Address as TheirAddress } from '@ethereumjs/util';
import { type Address, keyOf } from '../../src/core/base/bytes.ts';
import { toHex } from '../../src/core/base/hex.ts';
import { gasPace } from '../../src/core/base/pace.ts';
import { Prng } from '../../src/core/base/prng.ts';
import { bigIntToFixed, bytesToBigInt } from '../../src/core/base/quantity.ts';
import type { Fork } from '../../src/core/chain/rules.ts';
import { type Environment, execute } from '../../src/core/evm/interpreter.ts';
import { precompileAddresses } from '../../src/core/evm/precompiles/index.ts';
import type { PublicWorld } from '../../src/core/state/public-world.ts';
import { environmentOf, TEST_BLOCK, worldOf } from '../support/evm.ts';
import { rulesOfFork } from '../support/rules-of-fork.ts';
import { CONTRACT_IDS, ProgramWriter } from './program.ts';

/** The forks compared, with the names that @ethereumjs/common has for them. */
const FORKS: readonly (readonly [Fork, string])[] = [
  ['homestead', Hardfork.Homestead],
  ['tangerineWhistle', Hardfork.TangerineWhistle],
  ['spuriousDragon', Hardfork.SpuriousDragon],
  ['byzantium', Hardfork.Byzantium],
  ['constantinople', Hardfork.Constantinople],
  ['petersburg', Hardfork.Petersburg],
  ['istanbul', Hardfork.Istanbul],
  ['berlin', Hardfork.Berlin],
  ['london', Hardfork.London],
  ['paris', Hardfork.Paris],
  ['shanghai', Hardfork.Shanghai],
  ['cancun', Hardfork.Cancun],
];

const CALLER_ID = 0xaa;
const BALANCE = 1_000_000n;
const SLOTS = [0n, 1n, 2n, 3n];

interface Case {
  readonly fork: Fork;
  readonly hardfork: string;
  readonly contracts: readonly { readonly address: Address; readonly code: Uint8Array }[];
  /** undefined: a contract creation with `data` as init code. */
  readonly to: Address | undefined;
  readonly data: Uint8Array;
  readonly value: bigint;
  readonly gas: number;
}

function addressOf(id: number): Address {
  return new Uint8Array(20).fill(id);
}

function caseOf(prng: Prng): Case {
  const [fork, hardfork] = FORKS[prng.below(FORKS.length)]!;
  const contracts = CONTRACT_IDS.map((id) => ({
    address: addressOf(id),
    code: ProgramWriter.random(prng),
  }));
  const isCreate = prng.chance(0.15);
  const data = isCreate
    ? ProgramWriter.random(prng)
    : Uint8Array.from({ length: prng.below(100) }, () => prng.below(256));
  return {
    fork,
    hardfork,
    contracts,
    to: isCreate ? undefined : contracts[0]!.address,
    data,
    value: BigInt(prng.chance(0.3) ? prng.below(10) : 0),
    gas: prng.chance(0.3) ? prng.below(100_000) : 3_000_000,
  };
}

interface Outcome {
  readonly success: boolean;
  readonly error?: string | undefined;
  readonly output: string;
  readonly gasUsed: number;
  readonly refund: number;
  readonly logs: readonly string[];
  readonly accounts: Readonly<Record<string, string>>;
}

/** Returns the difference; undefined: there is none. */
export async function differenceAt(seed: number): Promise<string | undefined> {
  const one = caseOf(new Prng(seed));
  const { outcome: ours, touched } = runOurs(one);
  const theirs = await runTheirs(one, touched);
  return firstDifference(`seed ${seed}`, one, ours, theirs);
}

/**
 * Compares our two loops, in TypeScript and in WebAssembly, including the texts of failures; the
 * second also runs with pauses, and for every other seed leaves short code to the first. undefined:
 * no difference.
 */
export function loopDifferenceAt(seed: number): string | undefined {
  const one = caseOf(new Prng(seed));
  const plain = runOurs(one, { isPlain: true });
  const isPlain = seed % 2 === 0 ? false : undefined;
  const fast = runOurs(one, { isPlain, pace: gasPace(1 + (seed % 5_000)) });
  return firstDifference(
    `seed ${seed}`,
    one,
    { ...fast.outcome, error: fast.error },
    { ...plain.outcome, error: plain.error },
  );
}

function firstDifference(
  name: string,
  one: Case,
  ours: Outcome,
  theirs: Outcome,
): string | undefined {
  const a = JSON.stringify(ours, undefined, 1);
  const b = JSON.stringify(theirs, undefined, 1);
  if (a === b) return undefined;
  const lines = b.split('\n');
  const first = a.split('\n').findIndex((line, i) => line !== lines[i]);
  return [
    `${name} (${one.fork}, gas ${one.gas}, ${one.to ? 'call' : 'creation'}): first difference`,
    `  ours:   ${a.split('\n')[first]}`,
    `  theirs: ${lines[first]}`,
    `  our gas ${ours.gasUsed}, theirs ${theirs.gasUsed}; success ${ours.success}, ${theirs.success}`,
  ].join('\n');
}

/**
 * Accounts that programs can reach besides those in the world's records: created accounts are found
 * by their creators' nonces.
 */
function runOurs(
  one: Case,
  extra: Partial<Environment> = {},
): { outcome: Outcome; error: string | undefined; touched: readonly Address[] } {
  const caller = addressOf(CALLER_ID);
  const world = worldOf([
    { address: caller, balance: BALANCE },
    ...one.contracts.map(({ address, code }) => ({
      address,
      code,
      nonce: 1n,
      balance: 5n,
      storage: new Map([[1n, 7n]]),
    })),
  ]);
  const rules = rulesOfFork(one.fork);
  const created: Address[] = [];
  world.beginTransaction();
  if (rules.isBerlin) {
    for (const address of precompileAddresses(rules)) world.warmAddress(address);
    world.warmAddress(caller);
    if (one.to) world.warmAddress(one.to);
  }
  if (one.to) world.setNonce(caller, 1n);
  const result = execute(
    { caller, to: one.to, value: one.value, data: one.data, gas: BigInt(one.gas) },
    environmentOf(world, rules, {
      origin: caller,
      onRun: (address, isCreate) => {
        if (isCreate) created.push(address);
      },
      ...extra,
    }),
  );
  const known = new Map<string, Address>();
  for (const address of [
    caller,
    addressOf(0xee),
    ...one.contracts.map(({ address }) => address),
    ...created,
  ]) {
    known.set(keyOf(address), address);
  }
  const touched = [...known.values()];
  const failed = result.kind !== 'success';
  const outcome = {
    success: !failed,
    output: toHex(one.to === undefined && !failed ? new Uint8Array(0) : result.output),
    gasUsed: one.gas - Number(result.gasLeft),
    refund: failed ? 0 : world.refund(),
    logs: failed
      ? []
      : world.logs.all().map((log) => [log.address, ...log.topics, log.data].map(toHex).join(' ')),
    accounts: Object.fromEntries(touched.map((a) => [toHex(a), describe(world, a)])),
  };
  return { outcome, error: result.error, touched };
}

function describe(world: PublicWorld, address: Address): string {
  const slots = SLOTS.map((slot) => world.storage(address, slot));
  return `${world.nonce(address)} ${world.balance(address)} ${toHex(world.code(address))} ${slots}`;
}

async function runTheirs(one: Case, touched: readonly Address[]): Promise<Outcome> {
  const common = new Common({
    chain: Mainnet,
    hardfork: one.hardfork,
    // Random input never opens a KZG commitment.
    customCrypto: { kzg: { verifyProof: () => false } as never },
  });
  const stateManager = new SimpleStateManager({ common });
  const caller = new TheirAddress(addressOf(CALLER_ID));
  await stateManager.putAccount(caller, createAccount({ balance: BALANCE }));
  for (const { address, code } of one.contracts) {
    const their = new TheirAddress(address);
    await stateManager.putAccount(their, createAccount({ nonce: 1n, balance: 5n }));
    await stateManager.putCode(their, code);
    await stateManager.putStorage(their, bigIntToFixed(1n, 32), Uint8Array.of(7));
  }
  const blockchain: any = {
    getBlock: async (n: bigint) => ({ hash: () => new Uint8Array(32).fill(Number(n) % 251) }),
    shallowCopy: () => blockchain,
  };
  const evm = await createEVM({ common, stateManager, blockchain });
  if (rulesOfFork(one.fork).isBerlin) {
    for (const address of precompileAddresses(rulesOfFork(one.fork))) {
      evm.journal.addAlwaysWarmAddress(toHex(address).slice(2) as never);
    }
    evm.journal.addAlwaysWarmAddress(caller.toString().slice(2) as never);
    if (one.to) evm.journal.addAlwaysWarmAddress(toHex(one.to).slice(2) as never);
  }
  const header = {
    number: BigInt(TEST_BLOCK.number),
    coinbase: new TheirAddress(TEST_BLOCK.coinbase),
    timestamp: TEST_BLOCK.timestamp,
    difficulty: TEST_BLOCK.difficulty,
    prevRandao: TEST_BLOCK.prevRandao,
    gasLimit: TEST_BLOCK.gasLimit,
    baseFeePerGas: TEST_BLOCK.baseFee,
    getBlobGasPrice: () => TEST_BLOCK.blobBaseFee,
  };
  const { execResult } = await evm.runCall({
    caller,
    origin: caller,
    gasPrice: 10n,
    gasLimit: BigInt(one.gas),
    data: one.data,
    value: one.value,
    block: { header } as never,
    blobVersionedHashes: [],
    ...(one.to && { to: new TheirAddress(one.to) }),
  });
  const failed = execResult.exceptionError !== undefined;
  const accounts: Record<string, string> = {};
  for (const address of touched) {
    const their = new TheirAddress(address);
    const account = (await stateManager.getAccount(their)) ?? new TheirAccount();
    const slots: bigint[] = [];
    for (const slot of SLOTS) {
      slots.push(bytesToBigInt(await stateManager.getStorage(their, bigIntToFixed(slot, 32))));
    }
    const code = toHex(await stateManager.getCode(their));
    accounts[toHex(address)] = `${account.nonce} ${account.balance} ${code} ${slots}`;
  }
  const isDeployed = one.to === undefined && !failed;
  return {
    success: !failed,
    output: toHex(isDeployed ? new Uint8Array(0) : execResult.returnValue),
    gasUsed: Number(execResult.executionGasUsed),
    refund: failed ? 0 : Number(execResult.gasRefund ?? 0n),
    logs: failed
      ? []
      : (execResult.logs ?? []).map(([address, topics, data]) =>
          [address, ...topics, data].map(toHex).join(' '),
        ),
    accounts,
  };
}
