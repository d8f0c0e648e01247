/** `debug_*` methods that show stored blocks, and minor methods of GoQuorum. */
import { ZERO_HASH } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import { keccak256 } from '../../../../core/base/keccak.ts';
import { encodeBlock } from '../../../../core/chain/block.ts';
import { encodeHeader } from '../../../../core/chain/header.ts';
import { encodeReceipt } from '../../../../core/chain/receipt.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { totalDifficulty } from '../eth/blocks.ts';
import { isFarTransaction } from '../far.ts';
import { renderBlock } from '../render.ts';
import { ARRAY, arrayOf, DATA, HASH, TEXT } from '../results.ts';
import { blockTag, hash, requiredBlockNumber } from '../shapes.ts';
import { blockOrFail } from './trace.ts';

const ETHASH_EPOCH_BLOCKS = 30_000;
const ETHASH_EPOCHS_MAX = 100_000;

function seedHash(number: number): Uint8Array {
  const epochs = Math.floor(number / ETHASH_EPOCH_BLOCKS);
  if (epochs > ETHASH_EPOCHS_MAX) throw fail('BLOCK_UNKNOWN', `block #${number} not found`);
  let seed: Uint8Array = ZERO_HASH;
  for (let i = 0; i < epochs; i++) seed = keccak256(seed);
  return seed;
}

function rawTransaction({ view, pooled }: ReadContext, wanted: Uint8Array): string {
  const transaction = view.transaction(wanted)?.transaction ?? pooled(wanted);
  return transaction ? toHex(transaction.raw) : '0x';
}

export const rawMethods = [
  readMethod('debug_getBlockRlp', {
    params: [requiredBlockNumber],
    result: TEXT,
    about: 'RLP of a block, without 0x.',
    isHeavy: true,
    call: (context, [tag]) => bareHex(encodeBlock(blockOrFail(context, tag))),
  }),
  readMethod('debug_getRawBlock', {
    params: [blockTag],
    result: DATA,
    about: 'RLP of a block.',
    isHeavy: true,
    call: (context, [tag]) => toHex(encodeBlock(blockOrFail(context, tag))),
  }),
  readMethod('debug_getRawHeader', {
    params: [blockTag],
    result: DATA,
    about: 'RLP of a header.',
    isHeavy: true,
    call: (context, [tag]) => toHex(encodeHeader(blockOrFail(context, tag).header)),
  }),
  readMethod('debug_getRawReceipts', {
    params: [blockTag],
    result: arrayOf(DATA),
    about: 'Receipts of a block, as in its receipts root: public ones.',
    isHeavy: true,
    call: (context, [tag]) => {
      const { number } = blockOrFail(context, tag).header;
      return (context.view.publicReceipts(number) ?? []).map((each) => toHex(encodeReceipt(each)));
    },
  }),
  readMethod('debug_getRawTransaction', {
    params: [hash],
    result: DATA,
    about: 'The bytes of a transaction; `0x` when it is unknown.',
    isHeavy: ({ view }, [wanted]) => isFarTransaction(view, wanted),
    call: (context, [wanted]) => rawTransaction(context, wanted),
  }),
  readMethod('debug_printBlock', {
    params: [requiredBlockNumber],
    result: TEXT,
    about: 'A block as readable text.',
    isHeavy: true,
    call: (context, [tag]) => {
      const block = blockOrFail(context, tag);
      const shown = renderBlock(block, totalDifficulty(context.view, block.header.number), true);
      return JSON.stringify(shown, null, 2);
    },
  }),
  readMethod('debug_seedHash', {
    params: [requiredBlockNumber],
    result: HASH,
    about: 'Ethash seed of a block number.',
    isHeavy: true,
    call: ({ view }, [tag]) =>
      toHex(seedHash(tag.kind === 'number' ? tag.number : view.head().number)),
  }),
  readMethod('debug_getBadBlocks', {
    params: [],
    result: ARRAY,
    about: 'Refused blocks: none is kept.',
    isHeavy: true,
    call: () => [],
  }),
  readMethod('debug_preimage', {
    params: [hash],
    result: DATA,
    about: 'The address of an existing account, by its keccak256 hash.',
    isHeavy: true,
    call: ({ view }, [wanted]) => {
      const { public: state } = view.stateAt(view.head().number);
      for (const { address } of state.accounts(wanted)) {
        if (bareHex(keccak256(address)) === bareHex(wanted)) return toHex(address);
        break;
      }
      throw fail('PREIMAGE_UNKNOWN', 'unknown preimage');
    },
  }),
];
