/** The key of this node: given by its options, stored in its data folder, or newly created. */
import { join } from 'node:path';
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import { isThere } from '../../../io/host/files.ts';
import { findFarKey, type NodeKeyPlace } from '../../../io/keys/far-node-key.ts';
import { loadOrCreateKeyFile, parseKeyHex, readKeyFile } from '../../../io/keys/node-key.ts';
import type { LedgerConfig } from '../config.ts';
import { storeFolder } from '../store/data.ts';

/**
 * The key, or the signing proxy that has it. Also reads the key from GoQuorum's location in the
 * data folder. Throws OPTION_…, KEY_… and NODE_KEY_UNAVAILABLE.
 */
export async function findNodeKey(config: LedgerConfig): Promise<NodeKeyPlace> {
  const { hex, proxy } = config.nodeKey;
  if (!proxy) return readNodeKey(config);
  if (hex !== undefined) throw both();
  return findFarKey(proxy);
}

function both(): QuorateError {
  const text = 'Options "nodekey" and "nodekeyhex" are mutually exclusive';
  return fail('OPTION_CONFLICT', text);
}

/** The key of a node that has its own. Throws OPTION_… and KEY_…. */
export function readNodeKey({ nodeKey: { hex, file }, dataFolder }: LedgerConfig): Uint8Array {
  if (hex !== undefined && file !== undefined) throw both();
  if (hex !== undefined) return parseKeyHex(hex);
  if (file !== undefined && /^\w+:\/\/|\.ipc$/.test(file)) {
    throw fail(
      'OPTION_VALUE_INVALID',
      '--nodekey names a file, or a signing proxy by its http:// or https:// URL; clef cannot keep the key of a node, because it has no method for the secret that a node shares with each peer',
    );
  }
  if (file !== undefined) return readKeyFile(file);
  const places = [
    join(storeFolder(dataFolder), 'nodekey'),
    join(dataFolder, 'geth', 'nodekey'),
    join(dataFolder, 'nodekey'),
  ];
  return loadOrCreateKeyFile(places.find(isThere) ?? places[0]!);
}
