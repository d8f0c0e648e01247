/** Blocks and headers: by number, by hash, their counts, their receipts. */

import { keyOf } from '../../../../core/base/bytes.ts';
import { toQuantity } from '../../../../core/base/hex.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import type { PartyView } from '../../view/party-view.ts';
import { AnswerRoom } from '../answer-room.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { isFar } from '../far.ts';
import { afterPrivate } from '../private-arrival.ts';
import { receiptsOf } from '../receipts.ts';
import { type JsonObject, renderBlock, renderHeader, renderPending } from '../render.ts';
import { arrayOf, BLOCK, HEADER, NULL, orNull, QUANTITY, RECEIPT } from '../results.ts';
import { blockTag, bool, hash, index, named, requiredBlockNumber } from '../shapes.ts';
import { EncodedBlocks } from './encoded-blocks.ts';

/**
 * Blocks of BFT and Raft chains have a fixed difficulty of 1 or 0 on top of genesis, so the total
 * follows from the number.
 */
export function totalDifficulty(view: PartyView, number: number): bigint {
  const genesis = view.header(0)!.difficulty;
  const last = Math.min(number, view.head().number);
  const step = last > 0 ? view.header(last)!.difficulty : 0n;
  return genesis + BigInt(number) * step;
}

/** The block with its timestamp in the unit that this node's answers use. */
export function timed(
  view: PartyView,
  { header }: Pick<Block, 'header'>,
  rendered: JsonObject,
): JsonObject {
  return { ...rendered, timestamp: toQuantity(view.timestampOf(header)) };
}

function blockAt(view: PartyView, tag: BlockTag): Block | undefined {
  const number = view.numberOf(tag);
  return number === undefined ? undefined : view.block(number);
}

function byHash(view: PartyView, wanted: Uint8Array): Block | undefined {
  return blockAt(view, byHashTag(wanted));
}

function byHashTag(hash: Uint8Array): BlockTag {
  return { kind: 'hash', hash, requireCanonical: false };
}

const isFull = named('fullTransactions', bool);

function full({ view, pending }: ReadContext, tag: BlockTag, withTransactions: boolean) {
  if (tag.kind === 'pending') {
    const { block } = pending.block();
    const difficulty = totalDifficulty(view, view.head().number) + block.header.difficulty;
    return timed(view, block, renderPending(block, difficulty, withTransactions));
  }
  return blockOf(view, blockAt(view, tag), withTransactions);
}

/** Blocks with fewer transactions are quickly encoded again. */
const MANY_TRANSACTIONS = 16;
const encodedBlocks = new EncodedBlocks();

function blockOf(view: PartyView, block: Block | undefined, withTransactions: boolean) {
  if (!block) return null;
  const { transactions, header, hash } = block;
  const render = () =>
    timed(view, block, renderBlock(block, totalDifficulty(view, header.number), withTransactions));
  if (!withTransactions || transactions.length < MANY_TRANSACTIONS) return render();
  return encodedBlocks.encoded(`${keyOf(hash)} ${view.timestampOf(header)}`, render);
}

function headerOf(view: PartyView, block: Block | undefined) {
  return block
    ? timed(
        view,
        block,
        renderHeader(block.header, block.hash, totalDifficulty(view, block.header.number)),
      )
    : null;
}

export const blockMethods = [
  readMethod('eth_blockNumber', {
    params: [],
    result: QUANTITY,
    about: 'Number of the newest block.',
    call: ({ view }) => toQuantity(view.head().number),
  }),
  readMethod('eth_getBlockByNumber', {
    params: [requiredBlockNumber, isFull],
    result: orNull(BLOCK),
    about:
      'A block by number or tag, with hashes of its transactions or the transactions themselves.',
    isHeavy: ({ view }, [tag, withTransactions]) => isFar(view, tag, withTransactions),
    call: (context, [tag, withTransactions]) => full(context, tag, withTransactions),
  }),
  readMethod('eth_getBlockByHash', {
    params: [hash, isFull],
    result: orNull(BLOCK),
    about: 'A block by hash, with hashes of its transactions or the transactions themselves.',
    isHeavy: ({ view }, [wanted, withTransactions]) =>
      isFar(view, byHashTag(wanted), withTransactions),
    call: ({ view }, [wanted, withTransactions]) =>
      blockOf(view, byHash(view, wanted), withTransactions),
  }),
  readMethod('eth_getHeaderByNumber', {
    params: [requiredBlockNumber],
    result: orNull(HEADER),
    about: 'A header by number or tag.',
    isHeavy: ({ view }, [tag]) => isFar(view, tag),
    call: ({ view }, [tag]) => headerOf(view, blockAt(view, tag)),
  }),
  readMethod('eth_getHeaderByHash', {
    params: [hash],
    result: orNull(HEADER),
    about: 'A header by block hash.',
    isHeavy: ({ view }, [wanted]) => isFar(view, byHashTag(wanted)),
    call: ({ view }, [wanted]) => headerOf(view, byHash(view, wanted)),
  }),
  readMethod('eth_getBlockTransactionCountByNumber', {
    params: [requiredBlockNumber],
    result: orNull(QUANTITY),
    about: 'How many transactions the block has.',
    isHeavy: ({ view }, [tag]) => isFar(view, tag),
    call: ({ view, pending }, [tag]) => {
      if (tag.kind === 'pending') return toQuantity(pending.block().block.transactions.length);
      const block = blockAt(view, tag);
      return block ? toQuantity(block.transactions.length) : null;
    },
  }),
  readMethod('eth_getBlockTransactionCountByHash', {
    params: [hash],
    result: orNull(QUANTITY),
    about: 'How many transactions the block has.',
    isHeavy: ({ view }, [wanted]) => isFar(view, byHashTag(wanted)),
    call: ({ view }, [wanted]) => {
      const block = byHash(view, wanted);
      return block ? toQuantity(block.transactions.length) : null;
    },
  }),
  readMethod('eth_getUncleCountByBlockNumber', {
    params: [requiredBlockNumber],
    result: orNull(QUANTITY),
    about: 'How many uncles the block has: none where blocks are final.',
    isHeavy: ({ view }, [tag]) => isFar(view, tag),
    call: ({ view }, [tag]) => uncleCount(blockAt(view, tag)),
  }),
  readMethod('eth_getUncleCountByBlockHash', {
    params: [hash],
    result: orNull(QUANTITY),
    about: 'How many uncles the block has: none where blocks are final.',
    isHeavy: ({ view }, [wanted]) => isFar(view, byHashTag(wanted)),
    call: ({ view }, [wanted]) => uncleCount(byHash(view, wanted)),
  }),
  readMethod('eth_getUncleByBlockNumberAndIndex', {
    params: [requiredBlockNumber, index],
    result: NULL,
    about: 'An uncle: none where blocks are final.',
    call: () => null,
  }),
  readMethod('eth_getUncleByBlockHashAndIndex', {
    params: [hash, index],
    result: NULL,
    about: 'An uncle: none where blocks are final.',
    call: () => null,
  }),
  readMethod('eth_getBlockReceipts', {
    params: [blockTag],
    result: orNull(arrayOf(RECEIPT)),
    about: "All receipts of a block, with this party's private ones in place.",
    isHeavy: true,
    call: (context, [tag]) => {
      const { view } = context;
      const block = blockAt(view, tag);
      if (!block) return null;
      const room = new AnswerRoom(context, 'ask for the receipts one by one');
      return afterPrivate(context, block.header.number, () => receiptsOf(view, block, room));
    },
  }),
];

function uncleCount(block: Block | undefined): string | null {
  return block ? toQuantity(block.uncles.length) : null;
}
