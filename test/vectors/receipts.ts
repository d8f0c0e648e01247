/** Compares receipts in JSON-RPC's format with ours: only the fields that execution decides. */
import { toHex, toQuantity } from '../../src/core/base/hex.ts';
import type { Receipt } from '../../src/core/chain/receipt.ts';
import type { RecordedReceipt } from './goquorum-blocks.ts';

/** The first difference, or undefined. */
export function receiptFault(ours: Receipt, recorded: RecordedReceipt): string | undefined {
  const found: Record<string, unknown> = {
    status: ours.status === undefined ? undefined : toQuantity(ours.status),
    type: toQuantity(ours.type),
    gasUsed: toQuantity(ours.gasUsed),
    cumulativeGasUsed: toQuantity(ours.cumulativeGasUsed),
    logsBloom: toHex(ours.bloom),
    contractAddress: ours.contractAddress === undefined ? null : toHex(ours.contractAddress),
    revertReason: ours.revertReason === undefined ? undefined : toHex(ours.revertReason),
    logs: JSON.stringify(ours.logs.map(logJson)),
  };
  for (const [name, value] of Object.entries(found)) {
    // Nodes without --revertreason record no reasons.
    if (!(name in recorded)) continue;
    const expected =
      name === 'logs' ? JSON.stringify(recorded.logs.map(recordedLog)) : recorded[name];
    if (value !== expected) return `${name} is ${value}, recorded ${expected}`;
  }
  return undefined;
}

function logJson({ address, topics, data }: Receipt['logs'][number]): unknown {
  return { address: toHex(address), topics: topics.map(toHex), data: toHex(data) };
}

function recordedLog({ address, topics, data }: any): unknown {
  return { address, topics, data };
}
