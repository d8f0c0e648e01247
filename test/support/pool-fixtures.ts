/** Heads, accounts and fake transactions without signatures, for tests of the pool. */
import { keyOf } from '../../src/core/base/bytes.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { rulesAt } from '../../src/core/chain/rules.ts';
import { completeBody, type UnsignedTransaction } from '../../src/core/chain/signing.ts';
import type { Transaction } from '../../src/core/chain/transaction.ts';
import type { PoolHead, PoolState } from '../../src/core/txpool/admission.ts';

const FORKS = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
];

export function poolHead(options: { hasGasPrice?: boolean; gasLimit?: bigint } = {}): PoolHead {
  const config: Record<string, unknown> = { isQuorum: true, chainId: 1337, qbft: {} };
  for (const fork of FORKS) config[`${fork}Block`] = 0;
  if (options.hasGasPrice) config.enableGasPriceBlock = 0;
  const genesis = genesisFromJson({ gasLimit: 1, difficulty: 1, alloc: {}, config });
  const rules = rulesAt(genesis.config, 1, 0n);
  return { number: 1, gasLimit: options.gasLimit ?? 10_000_000n, rules, nextRules: rules };
}

export function senderOf(index: number): Uint8Array {
  return new Uint8Array(20).fill(index + 1);
}

export class Accounts implements PoolState {
  private readonly nonces = new Map<string, bigint>();
  private readonly balances = new Map<string, bigint>();

  nonce(address: Uint8Array): bigint {
    return this.nonces.get(keyOf(address)) ?? 0n;
  }

  balance(address: Uint8Array): bigint {
    return this.balances.get(keyOf(address)) ?? 10n ** 18n;
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    this.nonces.set(keyOf(address), nonce);
  }

  setBalance(address: Uint8Array, balance: bigint): void {
    this.balances.set(keyOf(address), balance);
  }
}

let made = 0;

/** A transaction whose sender and hash are given and not computed. */
export function fakeTransaction(
  sender: Uint8Array,
  fields: UnsignedTransaction & { isPrivate?: boolean; size?: number } = {},
): Transaction {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, ++made);
  return {
    ...completeBody({ gasLimit: 21_000n, to: senderOf(99), ...fields }),
    v: 27n,
    r: 1n,
    s: 1n,
    raw: new Uint8Array(fields.size ?? 100),
    hash,
    key: keyOf(hash),
    sender,
    isPrivate: fields.isPrivate ?? false,
  };
}
