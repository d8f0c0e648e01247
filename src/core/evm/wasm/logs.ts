/** Logs as the loop in WebAssembly collects them (assembly/evm/logs.ts). */
import type { Address, Hash32 } from '../../base/bytes.ts';
import type { Log } from '../../chain/receipt.ts';

const HEAD_BYTES = 8;
const TOPIC_BYTES = 32;

/** All logs are of one frame, whose account is `address`. They share the memory of `records`. */
export function* readLogs(records: Uint8Array, address: Address): Generator<Log> {
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  let at = 0;
  while (at < records.length) {
    const count = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true);
    at += HEAD_BYTES;
    const topics: Hash32[] = [];
    for (let i = 0; i < count; i++) {
      topics.push(records.subarray(at, at + TOPIC_BYTES));
      at += TOPIC_BYTES;
    }
    yield { address, topics, data: records.subarray(at, at + length) };
    at += Math.ceil(length / 4) * 4;
  }
}
