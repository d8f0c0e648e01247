/**
 * Permissioning with 10,000 accounts in 1,000 organisations, in the contracts of version 2 that
 * GoQuorum deployed: how long a start takes to read them, what a check costs, and what the pool
 * takes in with and without it.
 */
import type { Address } from '../src/core/base/bytes.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { signTransaction } from '../src/core/chain/signing.ts';
import { decodeTransaction, type Transaction } from '../src/core/chain/transaction.ts';
import { execute } from '../src/core/evm/interpreter.ts';
import { blockEnvironment, evmEnvironment } from '../src/core/execution/environment.ts';
import { callOf } from '../src/core/permission/abi.ts';
import { PermissionCache } from '../src/core/permission/cache.ts';
import type { PermissionConfig } from '../src/core/permission/config.ts';
import { kindOf, mayTransact, NO_PERMISSION } from '../src/core/permission/rules.ts';
import { PublicWorld } from '../src/core/state/public-world.ts';
import { WorldReader } from '../src/core/state/world-reader.ts';
import { TransactionPool } from '../src/core/txpool/pool.ts';
import { contractCallOn } from '../src/services/ledger/node/permission/contract-call.ts';
import { MemoryChain } from '../test/support/memory-chain.ts';
import { Accounts, poolHead } from '../test/support/pool-fixtures.ts';
import { recordedPermissions } from '../test/support/recorded-permissions.ts';
import { type Figure, median } from './report.ts';

const ORGS = 1_000;
const ACCOUNTS = 10_000;
const CHECKS = 1_000_000;
const RUNS = 7;
const GAS = 1_000_000_000n;
const START_BUDGET_MS = 2_000;
const CHECK_BUDGET_US = 2;

const addOrg = callOf('addOrg(string)');
const approveOrg = callOf('approveOrg(string)');
const addRole = callOf('addRole(string,string,uint256,bool,bool)');
const assignRole = callOf('assignAccountRole(address,string,string,bool)');

interface Network {
  readonly cache: PermissionCache;
  readonly config: PermissionConfig;
  /** Reads all records, as a start does. */
  fill(): PermissionCache;
}

export async function permission(): Promise<readonly Figure[]> {
  const keys = Array.from({ length: ACCOUNTS }, (_, at) => keyAt(at));
  const senders = keys.map(addressOfSecretKey);
  const network = grown(senders);
  const starts: number[] = [];
  for (let run = 0; run < RUNS; run++) starts.push(time(() => network.fill()));
  const raws = keys.map(
    (key, at) =>
      signTransaction({ to: senders[(at + 1) % ACCOUNTS]!, value: 1n, gasLimit: 21_000n }, key).raw,
  );
  const [off, on]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    off.push(admittedPerSecond(raws, undefined));
    on.push(admittedPerSecond(raws, network));
  }
  return [
    {
      name: 'start: 10,000 accounts, 1,000 organisations (CPU time)',
      unit: 'ms',
      runs: starts,
      budget: START_BUDGET_MS,
    },
    {
      name: 'check of a transaction (CPU time)',
      unit: 'us',
      runs: checks(network, senders),
      budget: CHECK_BUDGET_US,
    },
    {
      name: 'pool, permissioned (median of transactions a second of CPU time)',
      unit: 'tx/s',
      runs: [median(on)],
      reference: { name: 'not permissioned', runs: [median(off)] },
    },
  ];
}

function keyAt(at: number): Uint8Array {
  return keccak256(Uint8Array.of(at >> 8, at & 255));
}

/** CPU time of this process: what else runs on the machine does not count. */
function time(work: () => unknown): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

/** The recorded network, with many more in it. */
function grown(senders: readonly Address[]): Network {
  const { genesis, config, blocks } = recordedPermissions('v2');
  const chain = new MemoryChain(genesis);
  for (const block of blocks) chain.import(block);
  const { block, base } = chain.head;
  const { header } = block;
  const rules = chain.rules(header);
  const world = new PublicWorld(base.reader, header.number + 1);
  const shared = blockEnvironment(header, header.coinbase, rules, () => undefined);
  const { addresses } = config;
  const send = (to: Address, data: Uint8Array) => {
    world.beginTransaction();
    const caller = addresses.implementation!;
    const message = { sender: caller, blobVersionedHashes: [] };
    const call = { caller, to, value: 0n, data, gas: GAS };
    const { kind } = execute(call, evmEnvironment(shared, world, message, 0n));
    if (kind !== 'success') throw new Error(`a contract refused: ${kind}`);
    world.finishTransaction(rules);
  };
  for (let at = 0; at < ORGS; at++) {
    send(addresses.orgs, addOrg(`BENCH${at}`));
    send(addresses.orgs, approveOrg(`BENCH${at}`));
    send(addresses.roles, addRole('SENDER', `BENCH${at}`, 1n, false, false));
  }
  for (const [at, sender] of senders.entries())
    send(addresses.accounts, assignRole(sender, `BENCH${at % ORGS}`, 'SENDER', false));
  world.beginTransaction();
  const call = contractCallOn({
    ...{ rules, header },
    hashes: () => undefined,
    publicState: new WorldReader(world),
  });
  const fill = () => {
    const cache = new PermissionCache({ config, isRaft: false });
    cache.fill(call);
    return cache;
  };
  const cache = fill();
  if (cache.registry.accounts.size < ACCOUNTS) throw new Error('not all accounts were read');
  return { cache, config, fill };
}

function isAllowed(
  { cache, config }: Network,
  transaction: Pick<Transaction, 'sender' | 'to' | 'data'>,
) {
  return mayTransact(cache.registry, config, transaction.sender, kindOf(config, transaction));
}

/** Microseconds of one. */
function checks(network: Network, senders: readonly Address[]): number[] {
  const to = senders[0]!;
  const asked = senders.map((sender) => ({ sender, to, data: new Uint8Array(0) }));
  return Array.from({ length: RUNS }, () => {
    let allowed = 0;
    const ms = time(() => {
      for (let at = 0; at < CHECKS; at++) if (isAllowed(network, asked[at % ACCOUNTS]!)) allowed++;
    });
    if (allowed !== CHECKS) throw new Error(`${CHECKS - allowed} were refused`);
    return (ms * 1_000) / CHECKS;
  });
}

/** Decoded, recovered and taken in, as from peers. */
function admittedPerSecond(raws: readonly Uint8Array[], network: Network | undefined): number {
  const limits = { globalSlots: ACCOUNTS, globalQueue: ACCOUNTS };
  const pool = new TransactionPool(poolHead(), new Accounts(), { limits });
  const permissionFault =
    network && ((each: Transaction) => (isAllowed(network, each) ? undefined : NO_PERMISSION));
  const ms = time(() => {
    for (const raw of raws) pool.add(decodeTransaction(raw), 0, { permissionFault });
  });
  if (pool.stats.pending !== raws.length) throw new Error('the pool left some out');
  return (raws.length * 1_000) / ms;
}
