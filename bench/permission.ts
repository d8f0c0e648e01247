/**
 * Permissions with 10,000 accounts in 1,000 organisations, in the version 2 contracts that GoQuorum
 * deployed: how long a start takes to read them, the cost of a check, and the rate of the pool with
 * and without permissions.
 */

import type { Address } from '../src/core/base/bytes.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { addressOfSecretKey } from '../src/core/base/secp256k1.ts';
import { signTransaction } from '../src/core/chain/signing.ts';
import { decodeTransaction, type Transaction } from '../src/core/chain/transaction.ts';
import { kindOf, mayTransact, NO_PERMISSION } from '../src/core/permission/rules.ts';
import { TransactionPool } from '../src/core/txpool/pool.ts';
import { Accounts, poolHead } from '../test/support/pool-fixtures.ts';
import { ACCOUNTS, type GrownNetwork, grownNetwork } from './permission-network.ts';
import { starts } from './permission-start.ts';
import { type Figure, median } from './report.ts';

const CHECKS = 1_000_000;
const RUNS = 7;
const START_BUDGET_MS = 2_000;
const CHECK_BUDGET_US = 2;

export async function permission(): Promise<readonly Figure[]> {
  const keys = Array.from({ length: ACCOUNTS }, (_, at) => keyAt(at));
  const senders = keys.map(addressOfSecretKey);
  const network = grownNetwork(senders);
  const reads: number[] = [];
  for (let run = 0; run < RUNS; run++) reads.push(time(() => network.fill()));
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
    ...(await starts(network)),
    {
      name: 'contracts read, 10,000 accounts, 1,000 organisations (CPU time)',
      unit: 'ms',
      runs: reads,
      budget: START_BUDGET_MS,
    },
    {
      name: 'check of a transaction (CPU time)',
      unit: 'us',
      runs: checks(network, senders),
      budget: CHECK_BUDGET_US,
    },
    {
      name: 'pool, permissioned (median of transactions per second of CPU time)',
      unit: 'tx/s',
      runs: [median(on)],
      reference: { name: 'not permissioned', runs: [median(off)] },
    },
  ];
}

function keyAt(at: number): Uint8Array {
  return keccak256(Uint8Array.of(at >> 8, at & 255));
}

/** CPU time of this process, so that other load on the machine does not count. */
function time(work: () => unknown): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

function isAllowed(
  { cache, config }: GrownNetwork,
  transaction: Pick<Transaction, 'sender' | 'to' | 'data'>,
) {
  return mayTransact(cache.registry, config, transaction.sender, kindOf(config, transaction));
}

/** Microseconds per check. */
function checks(network: GrownNetwork, senders: readonly Address[]): number[] {
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

/** Decoded, recovered and added to the pool, like transactions from peers. */
function admittedPerSecond(raws: readonly Uint8Array[], network: GrownNetwork | undefined): number {
  const limits = { globalSlots: ACCOUNTS, globalQueue: ACCOUNTS };
  const pool = new TransactionPool(poolHead(), new Accounts(), { limits });
  const permissionFault =
    network && ((each: Transaction) => (isAllowed(network, each) ? undefined : NO_PERMISSION));
  const ms = time(() => {
    for (const raw of raws) pool.add(decodeTransaction(raw), 0, { permissionFault });
  });
  if (pool.stats.pending !== raws.length) throw new Error('the pool did not accept all');
  return (raws.length * 1_000) / ms;
}
