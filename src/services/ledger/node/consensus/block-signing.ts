/** Signs the headers of this node's own blocks, where the engine wants that (IBFT, Raft). */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import type { NodeKey } from '../../../../core/base/node-key.ts';
import type { Timers } from '../../../../core/base/ports.ts';

/** Interval at which a key elsewhere is asked again. */
const RETRY_MS = 500;

/** undefined: `isWanted` turned false before there was a signature. */
export type BlockSigning = (
  hash: Hash32,
  isWanted: () => boolean,
) => Uint8Array | Promise<Uint8Array | undefined>;

/** Asks a key elsewhere until it answers: until then this node proposes nothing. */
export function patientSigning(key: Pick<NodeKey, 'sign'>, timers: Timers): BlockSigning {
  return async (hash, isWanted) => {
    while (isWanted()) {
      try {
        return await key.sign(hash);
      } catch {
        await new Promise<void>((resolve) => timers.set(RETRY_MS, resolve));
      }
    }
    return undefined;
  };
}
