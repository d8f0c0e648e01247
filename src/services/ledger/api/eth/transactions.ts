/** Transactions and receipts by hash and by position. */
import { toHex } from '../../../../core/base/hex.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import type { PartyView } from '../../view/party-view.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { isFar, isFarReceipt, isFarTransaction } from '../far.ts';
import { afterPrivate } from '../private-arrival.ts';
import { receiptOf } from '../receipts.ts';
import { renderTransaction } from '../render.ts';
import { DATA, orNull, RECEIPT, TRANSACTION } from '../results.ts';
import { hash, index, requiredBlockNumber } from '../shapes.ts';

function atPlace({ view, pending }: ReadContext, tag: BlockTag, position: number) {
  const number = view.numberOf(tag);
  const block =
    tag.kind === 'pending'
      ? pending.block().block
      : number === undefined
        ? undefined
        : view.block(number);
  const transaction = block?.transactions[position];
  return transaction && { transaction, block: block!, index: position };
}

function byHash(wanted: Uint8Array): BlockTag {
  return { kind: 'hash', hash: wanted, requireCanonical: false };
}

function rendered(context: ReadContext, tag: BlockTag, position: number) {
  const found = atPlace(context, tag, position);
  if (!found) return null;
  const { block } = found;
  const { number, baseFeePerGas } = block.header;
  return renderTransaction(found.transaction, {
    hash: block.hash,
    number,
    index: position,
    baseFeePerGas,
  });
}

function raw(context: ReadContext, tag: BlockTag, position: number) {
  const found = atPlace(context, tag, position);
  return found ? toHex(found.transaction.raw) : '0x';
}

function rawByHash({ view, pooled }: ReadContext, wanted: Uint8Array): string {
  const transaction = view.transaction(wanted)?.transaction ?? pooled(wanted);
  return transaction ? toHex(transaction.raw) : '0x';
}

function found(view: PartyView, wanted: Uint8Array) {
  const place = view.transaction(wanted);
  if (!place) return undefined;
  const { number, baseFeePerGas } = place.block.header;
  return renderTransaction(place.transaction, {
    hash: place.block.hash,
    number,
    index: place.index,
    baseFeePerGas,
  });
}

export const transactionMethods = [
  readMethod('eth_getTransactionByHash', {
    params: [hash],
    result: orNull(TRANSACTION),
    about: 'A transaction, mined or in the pool.',
    isHeavy: ({ view }, [wanted]) => isFarTransaction(view, wanted),
    call: ({ view, pooled }, [wanted]) => {
      const mined = found(view, wanted);
      if (mined) return mined;
      const waiting = pooled(wanted);
      return waiting ? renderTransaction(waiting, undefined) : null;
    },
  }),
  readMethod('eth_getTransactionByBlockNumberAndIndex', {
    params: [requiredBlockNumber, index],
    result: orNull(TRANSACTION),
    about: 'A transaction by block and position.',
    isHeavy: ({ view }, [tag]) => isFar(view, tag),
    call: (context, [tag, position]) => rendered(context, tag, position),
  }),
  readMethod('eth_getTransactionByBlockHashAndIndex', {
    params: [hash, index],
    result: orNull(TRANSACTION),
    about: 'A transaction by block hash and position.',
    isHeavy: ({ view }, [wanted]) => isFar(view, byHash(wanted)),
    call: (context, [wanted, position]) => rendered(context, byHash(wanted), position),
  }),
  readMethod('eth_getRawTransactionByHash', {
    params: [hash],
    result: DATA,
    about: 'The bytes of a transaction; `0x` when it is unknown.',
    isHeavy: ({ view }, [wanted]) => isFarTransaction(view, wanted),
    call: (context, [wanted]) => rawByHash(context, wanted),
  }),
  readMethod('eth_getRawTransactionByBlockNumberAndIndex', {
    params: [requiredBlockNumber, index],
    result: DATA,
    about: 'The bytes of a transaction by block and position.',
    isHeavy: ({ view }, [tag]) => isFar(view, tag),
    call: (context, [tag, position]) => raw(context, tag, position),
  }),
  readMethod('eth_getRawTransactionByBlockHashAndIndex', {
    params: [hash, index],
    result: DATA,
    about: 'The bytes of a transaction by block hash and position.',
    isHeavy: ({ view }, [wanted]) => isFar(view, byHash(wanted)),
    call: (context, [wanted, position]) => raw(context, byHash(wanted), position),
  }),
  readMethod('eth_getTransactionReceipt', {
    params: [hash],
    result: orNull(RECEIPT),
    about: 'The receipt of a mined transaction; of a private one, as this party sees it.',
    isHeavy: ({ view }, [wanted]) => isFarReceipt(view, wanted),
    call: (context, [wanted]) => {
      const { view } = context;
      const found = view.transaction(wanted);
      if (!found) return null;
      return afterPrivate(context, found.block.header.number, () => receiptOf(view, found));
    },
  }),
];
