/**
 * Compression of outgoing messages: a proposal goes to several peers, and is compressed once for
 * all of them.
 */
import { finish, type Slices } from '../../core/base/pace.ts';
import { SnappyEncoder, snappyEncode } from '../../core/wire/snappy.ts';

/** For shorter messages, sharing would cost as much as it saves. */
const SHARED_BYTES_MIN = 16 * 1024;
const shared = new WeakMap<Uint8Array, SnappyEncoder>();

/** Compresses to the raw Snappy format. `payload` must not change from now on. */
export function compress(payload: Uint8Array): Uint8Array {
  if (payload.length < SHARED_BYTES_MIN) return snappyEncode(payload);
  return finish(compressInPieces(payload));
}

/** Compresses 64 KB in each slice; callers that compress the same array share the work. */
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
