/** devp2p Hello (GoQuorum p2p/peer.go). */
import { bytesOfKey, keyOf } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { RlpReader, RlpWriter } from '../base/rlp.ts';
import type { Capability } from './capabilities.ts';
import { BASE_MESSAGE_BYTES_MAX } from './disconnect.ts';

/** The base version that compresses messages. */
export const SNAPPY_BASE_VERSION = 5;
const CAPABILITIES_MAX = 64;
const CAPABILITY_NAME_BYTES_MAX = 64;

export interface Hello {
  /** devp2p base version: 5, or 4 without compression. */
  readonly version: number;
  readonly clientName: string;
  readonly capabilities: readonly Capability[];
  /** 0: the peer does not listen, or does not announce its port. */
  readonly listenPort: number;
  /** 64-byte public key of the node. */
  readonly id: Uint8Array;
}

export function encodeHello(hello: Hello): Uint8Array {
  return new RlpWriter()
    .list((w) => {
      w.number(hello.version).string(bytesOfKey(hello.clientName));
      w.list((caps) => {
        for (const cap of hello.capabilities) {
          caps.list((c) => c.string(bytesOfKey(cap.name)).number(cap.version));
        }
      });
      w.number(hello.listenPort).string(hello.id);
    })
    .finish();
}

/**
 * Elements after the id are ignored (EIP-8), names are read as Latin-1. Throws HELLO_INVALID or
 * RLP_INVALID; the caller refuses an id of another length as `invalid node identity`.
 */
export function decodeHello(bytes: Uint8Array): Hello {
  if (bytes.length > BASE_MESSAGE_BYTES_MAX) throw fail('HELLO_INVALID', 'hello: message too big');
  const outer = new RlpReader(bytes);
  const reader = outer.enter();
  outer.finish();
  const version = reader.number();
  const clientName = keyOf(reader.string());
  const capabilities = decodeCapabilities(reader.enter());
  const listenPort = reader.number();
  const id = reader.string().slice();
  while (!reader.done) reader.skip();
  return { version, clientName, capabilities, listenPort, id };
}

function decodeCapabilities(reader: RlpReader): Capability[] {
  const capabilities: Capability[] = [];
  while (!reader.done) {
    if (capabilities.length === CAPABILITIES_MAX) {
      throw fail('HELLO_INVALID', `hello: more than ${CAPABILITIES_MAX} capabilities`);
    }
    const item = reader.enter();
    const name = item.string();
    if (name.length > CAPABILITY_NAME_BYTES_MAX) {
      throw fail('HELLO_INVALID', 'hello: capability name too long');
    }
    capabilities.push({ name: keyOf(name), version: item.number() });
    item.finish();
  }
  return capabilities;
}
