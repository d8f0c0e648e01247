/**
 * Stand-in signatures: the signer and the signed data in clear. Nobody in the simulator forges
 * another's signature, except canaries.
 */
import { type Address, equalBytes, keyOf } from '../../src/core/base/bytes.ts';
import { fail } from '../../src/core/base/errors.ts';
import type { Prng } from '../../src/core/base/prng.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';
import { keySigner } from '../support/bft-chain.ts';
import type { Timeline } from './timers.ts';

export function standInSigner(address: Address): ConsensusSigner {
  return {
    address,
    sign(hash) {
      const signature = new Uint8Array(65);
      signature.set(address);
      signature.set(hash, 20);
      return signature;
    },
    recover(hash, signature) {
      return equalBytes(signature.subarray(20, 52), hash) ? signature.slice(0, 20) : undefined;
    },
  };
}

export function realSigner(index: number): ConsensusSigner {
  return keySigner(index + 1);
}

/** A key in another process: each signature is there only once `ask` has called back. */
function awaitedSigner(
  inner: ConsensusSigner,
  ask: (arrived: () => void) => void,
): ConsensusSigner {
  const signatures = new Map<string, Uint8Array | undefined>();
  return {
    ...inner,
    sign(hash) {
      const key = keyOf(hash);
      const signature = signatures.get(key);
      if (signature) return signature;
      if (!signatures.has(key)) {
        signatures.set(key, undefined);
        ask(() => signatures.set(key, inner.sign(hash)));
      }
      throw fail('SIGNATURE_AWAITED', 'not signed yet');
    },
  };
}

/**
 * A signer whose signatures take milliseconds; until the network is quiet, some outlast several
 * rounds. `chance` undefined: it has its key.
 */
export function laterSigner(
  inner: ConsensusSigner,
  chance: Prng | undefined,
  { quietFromMs }: { readonly quietFromMs: number },
  timeline: Pick<Timeline, 'after' | 'nowMs'>,
  signed: () => void,
): ConsensusSigner {
  if (!chance) return inner;
  return awaitedSigner(inner, (arrived) => {
    const noisyMs = Math.max(0, quietFromMs - timeline.nowMs);
    const lateMs = chance.below(8) > 0 ? 0 : Math.min(noisyMs, chance.below(60_000));
    timeline.after(1 + chance.below(20) + lateMs, () => {
      arrived();
      signed();
    });
  });
}
