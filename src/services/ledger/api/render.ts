/** Blocks, transactions and receipts as JSON (GoQuorum internal/ethapi/api.go). */
import { repeatedHex, toHex, toQuantity } from '../../../core/base/hex.ts';
import type { Block } from '../../../core/chain/block.ts';
import { encodeBlock } from '../../../core/chain/block.ts';
import { effectiveGasPrice } from '../../../core/chain/fees.ts';
import type { Header } from '../../../core/chain/header.ts';
import type { Log, Receipt } from '../../../core/chain/receipt.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import type { Json } from '../../../io/rpc/method.ts';

export type JsonObject = { [key: string]: Json | undefined };

/** Position of a transaction; undefined while it is pending. */
export interface Place {
  readonly hash: Uint8Array;
  readonly number: number;
  readonly index: number;
  readonly baseFeePerGas?: bigint | undefined;
}

/** Values that the transactions and logs of a block share, or that one shows in several places. */
const blockHashText = repeatedHex();
const transactionHashText = repeatedHex();
const senderText = repeatedHex();
const bloomText = repeatedHex();

/** COMPAT: GoQuorum reports the size of its own structure in memory. */
const HEADER_STRUCTURE_BYTES = 544;

function headerSize(header: Header): number {
  const bits = header.difficulty.toString(2).length + header.number.toString(2).length;
  return HEADER_STRUCTURE_BYTES + header.extraData.length + Math.floor(bits / 8);
}

export function renderHeader(
  header: Header,
  hash: Uint8Array,
  totalDifficulty: bigint,
): JsonObject {
  return {
    ...renderHeaderFields(header, hash),
    size: toQuantity(headerSize(header)),
    totalDifficulty: toQuantity(totalDifficulty),
  };
}

/** The header's fields, as `newHeads` sends them. */
export function renderHeaderFields(header: Header, hash: Uint8Array): JsonObject {
  return {
    difficulty: toQuantity(header.difficulty),
    extraData: toHex(header.extraData),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    hash: toHex(hash),
    logsBloom: toHex(header.bloom),
    miner: toHex(header.coinbase),
    mixHash: toHex(header.mixHash),
    nonce: toHex(header.nonce),
    number: toQuantity(header.number),
    parentHash: toHex(header.parentHash),
    receiptsRoot: toHex(header.receiptsRoot),
    sha3Uncles: toHex(header.unclesHash),
    stateRoot: toHex(header.stateRoot),
    timestamp: toQuantity(header.timestamp),
    transactionsRoot: toHex(header.transactionsRoot),
    ...(header.baseFeePerGas === undefined
      ? {}
      : { baseFeePerGas: toQuantity(header.baseFeePerGas) }),
    ...(header.withdrawalsRoot ? { withdrawalsRoot: toHex(header.withdrawalsRoot) } : {}),
    ...(header.blobGasUsed === undefined ? {} : { blobGasUsed: toQuantity(header.blobGasUsed) }),
    ...(header.excessBlobGas === undefined
      ? {}
      : { excessBlobGas: toQuantity(header.excessBlobGas) }),
    ...(header.parentBeaconBlockRoot
      ? { parentBeaconBlockRoot: toHex(header.parentBeaconBlockRoot) }
      : {}),
  };
}

export function renderBlock(block: Block, totalDifficulty: bigint, isFull: boolean): JsonObject {
  const { header } = block;
  const place = (index: number): Place => ({
    hash: block.hash,
    number: header.number,
    index,
    baseFeePerGas: header.baseFeePerGas,
  });
  return {
    ...renderHeaderFields(header, block.hash),
    size: toQuantity(encodeBlock(block).length),
    totalDifficulty: toQuantity(totalDifficulty),
    transactions: block.transactions.map((transaction, index) =>
      isFull ? renderTransaction(transaction, place(index)) : toHex(transaction.hash),
    ),
    uncles: block.uncles.map((uncle) => toHex(uncle.parentHash)),
    ...(block.withdrawals
      ? {
          withdrawals: block.withdrawals.map((each) => ({
            index: toQuantity(each.index),
            validatorIndex: toQuantity(each.validatorIndex),
            address: toHex(each.address),
            amount: toQuantity(each.amount),
          })),
        }
      : {}),
  };
}

/** The pending block has no hash, nonce or miner yet. */
export function renderPending(block: Block, totalDifficulty: bigint, isFull: boolean): JsonObject {
  return { ...renderBlock(block, totalDifficulty, isFull), hash: null, nonce: null, miner: null };
}

export function renderTransaction(transaction: Transaction, place: Place | undefined): JsonObject {
  const rendered: JsonObject = {
    blockHash: place ? blockHashText(place.hash) : null,
    blockNumber: place ? toQuantity(place.number) : null,
    from: senderText(transaction.sender),
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(paidGasPrice(transaction, place?.baseFeePerGas)),
    hash: transactionHashText(transaction.hash),
    input: toHex(transaction.data),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to ? toHex(transaction.to) : null,
    transactionIndex: place ? toQuantity(place.index) : null,
    value: toQuantity(transaction.value),
    type: toQuantity(transaction.type),
  };
  if (transaction.type >= 2) {
    rendered.maxFeePerGas = toQuantity(transaction.maxFeePerGas);
    rendered.maxPriorityFeePerGas = toQuantity(transaction.maxPriorityFeePerGas);
  }
  if (transaction.type !== 0) {
    rendered.accessList = renderAccessList(transaction);
    rendered.chainId = toQuantity(transaction.chainId ?? 0n);
  }
  if (transaction.type === 3) {
    rendered.maxFeePerBlobGas = toQuantity(transaction.maxFeePerBlobGas);
    rendered.blobVersionedHashes = transaction.blobVersionedHashes.map(toHex);
  }
  rendered.v = toQuantity(transaction.v);
  rendered.r = toQuantity(transaction.r);
  rendered.s = toQuantity(transaction.s);
  if (transaction.type >= 2) rendered.yParity = toQuantity(transaction.v);
  return rendered;
}

export function renderAccessList({ accessList }: Pick<Transaction, 'accessList'>): JsonObject[] {
  return accessList.map((entry) => ({
    address: toHex(entry.address),
    storageKeys: entry.slots.map(toHex),
  }));
}

export function paidGasPrice(transaction: Transaction, baseFeePerGas: bigint | undefined): bigint {
  return baseFeePerGas === undefined
    ? transaction.gasPrice
    : effectiveGasPrice(transaction, baseFeePerGas);
}

export interface ReceiptPlace extends Place {
  readonly firstLogIndex: number;
  readonly isPrivacyMarker: boolean;
  readonly hasRevertReason: boolean;
  /** Hash with which the receipt is queried. */
  readonly transactionHash: Uint8Array;
}

export function renderReceipt(
  receipt: Receipt,
  transaction: Transaction,
  place: ReceiptPlace,
): JsonObject {
  return {
    blockHash: blockHashText(place.hash),
    blockNumber: toQuantity(place.number),
    contractAddress:
      receipt.contractAddress && !transaction.to ? toHex(receipt.contractAddress) : null,
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    ...(place.baseFeePerGas === undefined
      ? {}
      : { effectiveGasPrice: toQuantity(effectiveGasPrice(transaction, place.baseFeePerGas)) }),
    from: senderText(transaction.sender),
    gasUsed: toQuantity(receipt.gasUsed),
    isPrivacyMarkerTransaction: place.isPrivacyMarker,
    logs: receipt.logs.map((log, i) =>
      renderLog(log, place.transactionHash, place, place.firstLogIndex + i),
    ),
    logsBloom: bloomText(receipt.bloom),
    ...(place.hasRevertReason && receipt.revertReason && receipt.revertReason.length > 0
      ? { revertReason: toHex(receipt.revertReason) }
      : {}),
    ...(receipt.status === undefined
      ? { root: toHex(receipt.postState!) }
      : { status: toQuantity(receipt.status) }),
    to: transaction.to ? toHex(transaction.to) : null,
    transactionHash: transactionHashText(place.transactionHash),
    transactionIndex: toQuantity(place.index),
    type: toQuantity(receipt.type),
  };
}

export function renderLog(
  log: Log,
  transactionHash: Uint8Array,
  place: Place,
  logIndex: number,
): JsonObject {
  return {
    address: toHex(log.address),
    topics: log.topics.map(toHex),
    data: toHex(log.data),
    blockNumber: toQuantity(place.number),
    transactionHash: transactionHashText(transactionHash),
    transactionIndex: toQuantity(place.index),
    blockHash: blockHashText(place.hash),
    logIndex: toQuantity(logIndex),
    removed: false,
  };
}
