/** Parts of consensus messages that QBFT and IBFT read alike. */
import { fail, hasCode } from '../../base/errors.ts';
import { bytesToBigInt } from '../../base/quantity.ts';
import type { RlpReader } from '../../base/rlp.ts';
import { type Block, EncodedBlock } from '../../chain/block.ts';

/** The message, or why decoding failed. */
export function messageOrFault<M>(decode: () => M): M | string {
  try {
    return decode();
  } catch (error) {
    if (hasCode(error, 'CONSENSUS_MESSAGE')) return error.message;
    throw error;
  }
}

/**
 * Reads one item as a block of a BFT chain without decoding its body: from Shanghai on with an
 * empty list of withdrawals, as in Besu.
 */
export function readProposal(reader: RlpReader): Block {
  const block = new EncodedBlock(reader.raw());
  if (block.hasWithdrawals) throw fail('CONSENSUS_MESSAGE', 'the proposal has withdrawals');
  return block;
}

/** Reads an integer of any size as the nearest double; we never write one above 2^53. */
export function readInteger(reader: RlpReader): number {
  return Number(bytesToBigInt(reader.scalar(32)));
}
