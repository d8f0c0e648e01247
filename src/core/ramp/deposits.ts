/** Crypto that moved in a block, according to its transactions and logs. */
import { readTransfer, type TokenLog } from './token-transfer.ts';
import { isNative } from './wallet-address.ts';

/** A transaction as `eth_getBlockByNumber` gives it. */
export interface LedgerTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
}

export interface LedgerLog extends TokenLog {
  readonly transactionHash: string;
}

/** One movement. Addresses are lower case. */
export interface Transfer {
  /** The transaction's hash and the index of the movement in it: independent of the block. */
  readonly id: string;
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly units: bigint;
}

const NATIVE_TOKEN = `0x${'00'.repeat(20)}`;

/**
 * Of the coin: whether the transaction was carried out is in its receipt. Contracts that pay the
 * coin on are not seen.
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
 * Of these tokens, and no others: any contract can write a log. The amount in the log is what
 * arrived.
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
