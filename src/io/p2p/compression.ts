/** Compression of what is sent: a proposal goes to several peers, and is compressed for all of them once. */
import { snappyEncode } from '../../core/wire/snappy.ts';

/** Of less the bookkeeping would cost as much. */
const SHARED_BYTES_MIN = 16 * 1024;
const shared = new WeakMap<Uint8Array, Uint8Array>();

/** In the raw Snappy format. `payload` must not change from now on. */
export function compress(payload: Uint8Array): Uint8Array {
  if (payload.length < SHARED_BYTES_MIN) return snappyEncode(payload);
  const known = shared.get(payload);
  if (known) return known;
  const made = snappyEncode(payload);
  shared.set(payload, made);
  return made;
}
