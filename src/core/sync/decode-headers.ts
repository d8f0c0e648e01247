/** Decodes and hashes the headers that a peer sent. */
import { blockHash } from '../chain/extra-data.ts';
import { decodeHeader } from '../chain/header.ts';
import type { SyncHeader } from './sync-types.ts';

/** undefined: one of the headers is malformed. */
export function decodeHeaders(raws: readonly Uint8Array[]): SyncHeader[] | undefined {
  try {
    return raws.map((bytes) => {
      // A copy, because a view would keep the whole message in memory.
      const raw = bytes.slice();
      const header = decodeHeader(raw);
      return { header, hash: blockHash(header), raw };
    });
  } catch {
    return undefined;
  }
}
