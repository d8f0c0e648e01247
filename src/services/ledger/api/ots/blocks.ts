/** `ots_*` about blocks: details, and transactions in pages. */
import { toHex, toQuantity } from '../../../../core/base/hex.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { Json } from '../../../../io/rpc/method.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import type { PartyView } from '../../view/party-view.ts';
import { AnswerRoom } from '../answer-room.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { timed, totalDifficulty } from '../eth/blocks.ts';
import { isFar } from '../far.ts';
import { afterPrivate } from '../private-arrival.ts';
import { receiptOf } from '../receipts.ts';
import {
  type JsonObject,
  paidGasPrice,
  renderBlock,
  renderHeader,
  renderTransaction,
} from '../render.ts';
import { HEADER, NUMBER, OBJECT, orNull } from '../results.ts';
import { hash, named, requiredBlockNumber, unsigned } from '../shapes.ts';

/** Version of Otterscan's interface, as in Erigon and reth. */
const API_LEVEL = 8;
/** In lists, transactions show only the first bytes of their input: the function selector. */
const SELECTOR_BYTES = 4;
const ENTRY_BYTES = 2_000;

function blockAt(view: PartyView, tag: BlockTag): Block | undefined {
  const number = view.numberOf(tag);
  return number === undefined ? undefined : view.block(number);
}

function byHashTag(wanted: Uint8Array): BlockTag {
  return { kind: 'hash', hash: wanted, requireCanonical: false };
}

/** A block without its transactions and its bloom. */
function shown(view: PartyView, block: Block): JsonObject {
  const { number } = block.header;
  const rendered = timed(view, block, renderBlock(block, totalDifficulty(view, number), false));
  const { transactions, ...rest } = rendered;
  return { ...rest, logsBloom: null, transactionCount: block.transactions.length };
}

/** QBFT, IBFT and Raft chains pay no block rewards. */
const NO_ISSUANCE = { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' };

function totalFees(view: PartyView, { header, transactions }: Block): bigint {
  const receipts = view.publicReceipts(header.number) ?? [];
  return transactions.reduce((sum, transaction, index) => {
    const price = paidGasPrice(transaction, header.baseFeePerGas);
    return sum + price * (receipts[index]?.gasUsed ?? 0n);
  }, 0n);
}

function details(view: PartyView, block: Block | undefined): Json {
  if (!block) return null;
  const fees = toQuantity(totalFees(view, block));
  return { block: shown(view, block), issuance: NO_ISSUANCE, totalFees: fees };
}

/** Page 0 has the last transactions; each page is in the order of the block. */
function transactionsOf(context: ReadContext, block: Block, page: number, size: number): Json {
  const { view } = context;
  const room = new AnswerRoom(context, 'ask for a smaller page');
  const end = Math.max(0, block.transactions.length - page * size);
  const start = Math.max(0, end - size);
  const { number, baseFeePerGas } = block.header;
  const places = block.transactions.slice(start, end).map((transaction, at) => {
    room.take(ENTRY_BYTES);
    return { transaction, block, index: start + at };
  });
  const transactions = places.map(({ transaction, index }) => {
    const place = { hash: block.hash, number, index, baseFeePerGas };
    const input = toHex(transaction.data.subarray(0, SELECTOR_BYTES));
    return { ...renderTransaction(transaction, place), input };
  });
  const receipts = places.map((place) => {
    const receipt = receiptOf(view, place);
    return receipt && { ...receipt, logs: null, logsBloom: null };
  });
  return { fullblock: { ...shown(view, block), transactions }, receipts };
}

export const otsBlockMethods = [
  readMethod('ots_getApiLevel', {
    params: [],
    result: NUMBER,
    about: "Level of Otterscan's interface.",
    call: () => API_LEVEL,
  }),
  readMethod('erigon_getHeaderByNumber', {
    params: [requiredBlockNumber],
    result: orNull(HEADER),
    about: 'A header by number or tag; Otterscan looks for the newest block with it.',
    isHeavy: ({ view }, [tag]) => isFar(view, tag),
    call({ view }, [tag]) {
      const block = blockAt(view, tag);
      if (!block) return null;
      const total = totalDifficulty(view, block.header.number);
      return timed(view, block, renderHeader(block.header, block.hash, total));
    },
  }),
  readMethod('ots_getBlockDetails', {
    params: [requiredBlockNumber],
    result: orNull(OBJECT),
    about: 'A block without its transactions: their number, and the fees that they paid.',
    isHeavy: true,
    call: ({ view }, [tag]) => details(view, blockAt(view, tag)),
  }),
  readMethod('ots_getBlockDetailsByHash', {
    params: [hash],
    result: orNull(OBJECT),
    about: 'As ots_getBlockDetails, by hash.',
    isHeavy: true,
    call: ({ view }, [wanted]) => details(view, blockAt(view, byHashTag(wanted))),
  }),
  readMethod('ots_getBlockTransactions', {
    params: [
      requiredBlockNumber,
      named('pageNumber', unsigned(16)),
      named('pageSize', unsigned(8)),
    ],
    result: orNull(OBJECT),
    about:
      'A page of the transactions of a block, the last ones first: with the first 4 bytes of their input, and receipts without logs.',
    isHeavy: true,
    call(context, [tag, page, size]) {
      const block = blockAt(context.view, tag);
      if (!block) return null;
      return afterPrivate(context, block.header.number, () =>
        transactionsOf(context, block, page, size),
      );
    },
  }),
];
