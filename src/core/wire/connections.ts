/**
 * `quorate/1`, message 1: `[address, …]`, the peers with which a node exchanges consensus messages.
 * A node connected to a validator needs no relay for its messages.
 */
import type { Address } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { RlpWriter, readList } from '../base/rlp.ts';

export const CONNECTIONS_MESSAGE = 1;

const ADDRESS_BYTES = 20;
/** More than the validators of any network. */
const CONNECTIONS_MAX = 4096;

export function encodeConnections(peers: readonly Address[]): Uint8Array {
  const writer = new RlpWriter(16 + peers.length * (ADDRESS_BYTES + 1));
  writer.list((list) => {
    for (const peer of peers.slice(0, CONNECTIONS_MAX)) list.string(peer);
  });
  return writer.finish();
}

/** Throws RLP_INVALID or WIRE_INVALID. */
export function decodeConnections(bytes: Uint8Array): Address[] {
  const list = readList(bytes);
  const peers: Address[] = [];
  while (!list.done) {
    if (peers.length >= CONNECTIONS_MAX) {
      throw fail('WIRE_INVALID', `a peer may name ${CONNECTIONS_MAX} connections`);
    }
    peers.push(list.fixed(ADDRESS_BYTES));
  }
  return peers;
}
