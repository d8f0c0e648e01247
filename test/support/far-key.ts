/** A node key in another process: each answer comes later, or while `isSilent` never. */
import { localNodeKey, type NodeKey } from '../../src/core/base/node-key.ts';

export interface FarTestKey extends NodeKey {
  isSilent: boolean;
}

export function farKey(secretKey: Uint8Array): FarTestKey {
  const key = localNodeKey(secretKey);
  const later = async <T>(answer: () => T): Promise<T> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (far.isSilent) throw new Error('the key is silent');
    return answer();
  };
  const far: FarTestKey = {
    isSilent: false,
    publicKey: key.publicKey,
    sign: (hash) => later(() => key.sign(hash)),
    sharedX: (publicKey) => later(() => key.sharedX(publicKey)),
  };
  return far;
}
