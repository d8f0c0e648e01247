/** A transaction as a caller sees it, and its logs. */
import { EMPTY_BYTES } from '../../../core/base/bytes.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import {
  isPrivacyMarker,
  openInner,
  opensInner,
  payloadHashOf,
} from '../../../core/privacy/marker.ts';
import { type FoundLog, firstLogIndex } from '../view/logs.ts';
import type { FoundTransaction } from '../view/party-view.ts';
import { AccountNode, type AtBlock, blockOrLatest } from './account.ts';
import type { QueryContext } from './context.ts';

/** `found.block` undefined: the transaction is in the pool. */
interface Shown {
  readonly transaction: Transaction;
  readonly place: Pick<FoundTransaction, 'block' | 'index'> | undefined;
  /** The marker that contains it. */
  readonly marker?: Transaction;
}

export class TransactionNode {
  private readonly context: QueryContext;
  private readonly shown: Shown;

  constructor(context: QueryContext, shown: Shown) {
    this.context = context;
    this.shown = shown;
  }

  private get transaction(): Transaction {
    return this.shown.transaction;
  }

  /** COMPAT: the transaction inside a marker is identified by the marker's hash. */
  hash() {
    return (this.shown.marker ?? this.transaction).hash;
  }

  nonce() {
    return this.transaction.nonce;
  }

  index() {
    return this.shown.place?.index ?? null;
  }

  from(at: AtBlock) {
    return new AccountNode(this.context, this.transaction.sender, blockOrLatest(at));
  }

  to(at: AtBlock) {
    const { to } = this.transaction;
    return to ? new AccountNode(this.context, to, blockOrLatest(at)) : null;
  }

  value() {
    return this.transaction.value;
  }

  gasPrice() {
    return this.transaction.gasPrice;
  }

  gas() {
    return this.transaction.gasLimit;
  }

  inputData() {
    return this.transaction.data;
  }

  block() {
    const { place } = this.shown;
    return place ? this.context.blockNode(place.block) : null;
  }

  status() {
    const receipt = this.receipt();
    return receipt ? (receipt.status ?? 0) : null;
  }

  gasUsed() {
    return numberOf(this.receipt()?.gasUsed);
  }

  cumulativeGasUsed() {
    return numberOf(this.receipt()?.cumulativeGasUsed);
  }

  createdContract(at: AtBlock) {
    const made = this.transaction.to ? undefined : this.receipt()?.contractAddress;
    return made ? new AccountNode(this.context, made, blockOrLatest(at)) : null;
  }

  logs(): Iterable<object> | null {
    const { place } = this.shown;
    const receipt = this.receipt();
    if (!place || !receipt) return null;
    const { view } = this.context;
    const receipts = view.receipts(place.block.header.number)!;
    const first = firstLogIndex(view, place.block, receipts, place.index);
    return this.context.room.list(
      receipt.logs.entries(),
      ([at, log]) => new LogNode(this.context, this, log, first + at),
    );
  }

  isPrivate() {
    return this.transaction.isPrivate;
  }

  privateInputData() {
    if (!this.transaction.isPrivate) return EMPTY_BYTES;
    return this.payload() ?? EMPTY_BYTES;
  }

  privateTransaction() {
    const { transaction, place } = this.shown;
    if (!place || !opensInner(transaction, this.context.view.rulesAt(place.block.header)))
      return null;
    const payload = this.payload();
    const inner = payload && openInner(transaction, payload);
    if (inner === undefined || typeof inner === 'string') return null;
    return new TransactionNode(this.context, { transaction: inner, place, marker: transaction });
  }

  r() {
    return this.transaction.r;
  }

  s() {
    return this.transaction.s;
  }

  v() {
    return this.transaction.v;
  }

  type() {
    return this.transaction.type;
  }

  accessList() {
    const { accessList } = this.transaction;
    return this.context.room.list(accessList, ({ address, slots }) => ({
      address,
      storageKeys: slots,
    }));
  }

  private payload(): Uint8Array | undefined {
    this.context.room.takePayload();
    return this.context.payload(payloadHashOf(this.transaction.data));
  }

  /**
   * The receipt: a marker has the public one, also for parties; its inner transaction has the
   * caller's private one. undefined while pending, or until the private state has reached its
   * block.
   */
  private receipt(): Receipt | undefined {
    const { transaction, place, marker } = this.shown;
    if (!place) return undefined;
    const { view } = this.context;
    const { header } = place.block;
    const isMarker = !marker && isPrivacyMarker(transaction, view.rulesAt(header));
    const isPrivateToo = transaction.isPrivate || isMarker;
    if (isPrivateToo && !this.context.isPrivateDone(header.number)) return undefined;
    const receipts = isMarker ? view.publicReceipts(header.number) : view.receipts(header.number);
    return receipts?.[place.index];
  }
}

function numberOf(amount: bigint | undefined): number | null {
  return amount === undefined ? null : Number(amount);
}

class LogNode {
  private readonly context: QueryContext;
  readonly transaction: TransactionNode;
  private readonly log: FoundLog['log'];
  readonly index: number;

  /** `index`: position among the logs of the block. */
  constructor(
    context: QueryContext,
    transaction: TransactionNode,
    log: FoundLog['log'],
    index: number,
  ) {
    this.context = context;
    this.transaction = transaction;
    this.log = log;
    this.index = index;
  }

  account(at: AtBlock) {
    return new AccountNode(this.context, this.log.address, blockOrLatest(at));
  }

  topics() {
    return this.log.topics;
  }

  data() {
    return this.log.data;
  }
}

export function logNodes(context: QueryContext, found: Iterable<FoundLog>): Iterable<object> {
  return context.room.list(found, ({ log, block, transactionIndex, logIndex }) => {
    const place = { block, index: transactionIndex };
    const transaction = block.transactions[transactionIndex]!;
    const node = new TransactionNode(context, { transaction, place });
    return new LogNode(context, node, log, logIndex);
  });
}
