/**
 * A block of the source, with its receipts divided into public and private ones, checked against
 * its header: hash, transactions, uncles, receipts, bloom. Nothing is executed.
 */
import { equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { EMPTY_ROOT } from '../../../core/base/keccak.ts';
import {
  type Block,
  decodeBlock,
  transactionsRoot,
  unclesHash,
} from '../../../core/chain/block.ts';
import { bloomOfLogs, EMPTY_BLOOM, mergeBlooms } from '../../../core/chain/bloom.ts';
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import { type Receipt, receiptsRoot } from '../../../core/chain/receipt.ts';
import { rulesAt } from '../../../core/chain/rules.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import { createAddress } from '../../../core/evm/create-address.ts';
import type { SpaceResult } from '../../../core/execution/result.ts';
import { DEFAULT_PSI, EMPTY_PSI, type Psi } from '../../../core/privacy/inputs.ts';
import { isPrivateTransaction, opensInner } from '../../../core/privacy/marker.ts';
import { EMPTY_WRITE_SET } from '../../../core/state/write-set.ts';
import type { BlockToAppend } from '../../../core/store/interface.ts';
import {
  decodeStoredReceipts,
  type Outcome,
  type StoredReceipt,
} from '../../../io/geth/stored-receipts.ts';

export interface StoredBlock {
  readonly hash: Hash32;
  /** RLP of the block. */
  readonly block: Uint8Array;
  /** Receipts in the format in which geth stores them. */
  readonly receipts: Uint8Array;
}

/** Private roots by name, after the block with this public root; missing states are omitted. */
export type PrivateRoots = (publicRoot: Hash32, names: readonly Psi[]) => ReadonlyMap<Psi, Hash32>;

/** `psis`: private states known so far. Throws BLOCK_INVALID. */
export function takenBlock(
  stored: StoredBlock,
  config: ChainConfig,
  privateRoots: PrivateRoots,
  psis: readonly Psi[],
): BlockToAppend {
  const block = decodeBlock(stored.block, config.isQuorum ? 'quorum' : 'ethereum');
  const { header, transactions } = block;
  const found = decodeStoredReceipts(stored.receipts);
  if (found.length !== transactions.length)
    throw invalid(block, `it has ${transactions.length} transactions and ${found.length} receipts`);
  const rules = rulesAt(config, header.number, header.timestamp);
  const receipts: Receipt[] = [];
  const working: number[] = [];
  let cumulativeGasUsed = 0n;
  for (const [index, tx] of transactions.entries()) {
    const isPrivate = isPrivateTransaction(tx, rules);
    if (isPrivate || opensInner(tx, rules)) working.push(index);
    const receipt = publicReceipt(tx, found[index]!, isPrivate, cumulativeGasUsed);
    cumulativeGasUsed = receipt.cumulativeGasUsed;
    receipts.push(receipt);
  }
  check(block, stored.hash, receipts);
  const base = { block, receipts, writes: EMPTY_WRITE_SET };
  if (working.length === 0) return { ...base, hasPrivateWork: false };
  const named = [...psis, ...found.flatMap((receipt) => [...receipt.private.keys()])];
  const roots = privateRoots(header.stateRoot, named);
  const names = rules.isMps ? new Set([...named, ...roots.keys(), EMPTY_PSI]) : [DEFAULT_PSI];
  const spaces = new Map<Psi, SpaceResult>();
  for (const psi of names) {
    const own = privateReceipts(psi, working, transactions, found, rules.isMps);
    const bloom = mergeBlooms([...own.values()].map((receipt) => receipt.bloom));
    const root = roots.get(psi) ?? EMPTY_ROOT;
    spaces.set(psi, { writes: EMPTY_WRITE_SET, root, receipts: own, bloom });
  }
  return { ...base, hasPrivateWork: true, spaces };
}

/** Public receipt of a private transaction: success, without gas. */
function publicReceipt(
  tx: Transaction,
  stored: StoredReceipt,
  isPrivate: boolean,
  before: bigint,
): Receipt {
  const contractAddress = created(tx);
  if (isPrivate) {
    const outcome = { type: tx.type, status: 1 as const, cumulativeGasUsed: before, gasUsed: 0n };
    return { ...outcome, bloom: EMPTY_BLOOM, logs: [], ...contractAddress };
  }
  const { cumulativeGasUsed } = stored;
  return {
    ...{ type: tx.type, gasUsed: cumulativeGasUsed - before },
    ...outcomeOf(stored),
    ...contractAddress,
  };
}

function privateReceipts(
  psi: Psi,
  working: readonly number[],
  transactions: readonly Transaction[],
  found: readonly StoredReceipt[],
  isMps: boolean,
): ReadonlyMap<number, Receipt> {
  const receipts = new Map<number, Receipt>();
  for (const index of working) {
    const tx = transactions[index]!;
    const stored = found[index]!;
    // A private state without its own entry has the receipts of the empty state.
    const own = stored.private.get(psi) ?? (isMps ? stored.private.get(EMPTY_PSI) : undefined);
    const outcome = own ?? (tx.isPrivate ? stored : undefined);
    if (!outcome) continue;
    const inner = own && !tx.isPrivate ? own.contractAddress : undefined;
    const innerAddress = inner?.some((byte) => byte !== 0) ? { contractAddress: inner } : {};
    receipts.set(index, {
      ...{ type: 0, gasUsed: 0n },
      ...outcomeOf(outcome),
      ...(tx.isPrivate ? created(tx) : innerAddress),
    });
  }
  return receipts;
}

function outcomeOf({ status, postState, cumulativeGasUsed, logs, revertReason }: Outcome) {
  return {
    ...{ status, cumulativeGasUsed, logs, bloom: bloomOfLogs(logs) },
    ...(postState === undefined ? {} : { postState }),
    ...(revertReason === undefined ? {} : { revertReason }),
  };
}

function created(tx: Transaction): Pick<Receipt, 'contractAddress'> {
  return tx.to === undefined ? { contractAddress: createAddress(tx.sender, tx.nonce) } : {};
}

function check(block: Block, hash: Hash32, receipts: readonly Receipt[]): void {
  const { header, transactions, uncles } = block;
  if (!equalBytes(block.hash, hash)) throw invalid(block, 'its header has another hash');
  if (!equalBytes(transactionsRoot(transactions), header.transactionsRoot))
    throw invalid(block, "its transactions are not its header's");
  if (!equalBytes(unclesHash(uncles), header.unclesHash))
    throw invalid(block, "its uncles are not its header's");
  if (!equalBytes(receiptsRoot(receipts), header.receiptsRoot))
    throw invalid(block, "its receipts are not its header's");
  if (!equalBytes(mergeBlooms(receipts.map(({ bloom }) => bloom)), header.bloom))
    throw invalid(block, 'its bloom is not that of its receipts');
}

function invalid({ header, hash }: Block, fault: string): Error {
  return fail('BLOCK_INVALID', `block ${header.number} (0x${bareHex(hash)}): ${fault}`);
}
