/** Transfers of crypto in a block, according to its transactions and logs. */
import { readTransfer, type TokenLog } from './token-transfer.ts';
import { isNative } from './wallet-address.ts';

/** A transaction as `eth_getBlockByNumber` returns it. */
export interface LedgerTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
}

export interface LedgerLog extends TokenLog {
  readonly transactionHash: string;
}

/** One transfer. Addresses are lower case. */
export interface Transfer {
  /** The transaction's hash and the transfer's index in it: does not depend on the block. */
  readonly id: string;
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly units: bigint;
}

const NATIVE_TOKEN = `0x${'00'.repeat(20)}`;

/**
 * Transfers of the native coin; whether the transaction succeeded is in its receipt. Payments of
 * the coin by contracts are not seen.
 */
export function coinTransfers(transactions: readonly LedgerTransaction[]): readonly Transfer[] {
  return transactions.flatMap(({ hash, from, to, value }) =>
    to === null || BigInt(value) === 0n
      ? []
      : [
          {
            ...{ id: `${hash}/coin`, hash, from: from.toLowerCase(), to: to.toLowerCase() },
            ...{ token: NATIVE_TOKEN, units: BigInt(value) },
          },
        ],
  );
}

/**
 * Transfers of these tokens only, because any contract can write such logs. The amount in the log
 * is the amount that arrived.
 */
export function tokenTransfers(
  logs: readonly LedgerLog[],
  tokens: readonly string[],
): readonly Transfer[] {
  const counts = new Map<string, number>();
  return logs.flatMap((log) => {
    const token = log.address.toLowerCase();
    const moved = tokens.includes(token) && !isNative({ address: token }) && readTransfer(log);
    if (!moved || moved.units === 0n) return [];
    const { transactionHash: hash } = log;
    const number = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, number);
    const [from, to] = [moved.from.toLowerCase(), moved.to.toLowerCase()];
    return [{ id: `${hash}/${number}`, hash, from, to, token, units: moved.units }];
  });
}

/** Unix milliseconds of a block's timestamp: seconds, or the nanoseconds of Raft. */
export function blockTimeMs(timestamp: string): number {
  const value = BigInt(timestamp);
  return Number(value > 10n ** 15n ? value / 1_000_000n : value * 1_000n);
}
