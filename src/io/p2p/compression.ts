/**
 * Compression of what is sent: a proposal goes to several peers, and is compressed for all of them
 * once.
 */
import { finish, type Slices } from '../../core/base/pace.ts';
import { SnappyEncoder, snappyEncode } from '../../core/wire/snappy.ts';

/** For shorter ones the bookkeeping would cost as much. */
const SHARED_BYTES_MIN = 16 * 1024;
const shared = new WeakMap<Uint8Array, SnappyEncoder>();

/** In the raw Snappy format. `payload` must not change from now on. */
export function compress(payload: Uint8Array): Uint8Array {
  if (payload.length < SHARED_BYTES_MIN) return snappyEncode(payload);
  return finish(compressInPieces(payload));
}

/** 64 KB in each slice; callers that compress the same array share the work. */
export function* compressInPieces(payload: Uint8Array): Slices<Uint8Array> {
  let encoder = shared.get(payload);
  if (!encoder) {
    encoder = new SnappyEncoder(payload);
    shared.set(payload, encoder);
  }
  for (;;) {
    const done = encoder.step();
    if (done) return done;
    yield;
  }
}
