/** The key of this node: given by its options, stored in its data folder, or newly created. */
import { join } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import { isThere } from '../../../io/host/files.ts';
import { loadOrCreateKeyFile, parseKeyHex, readKeyFile } from '../../../io/keys/node-key.ts';
import type { LedgerConfig } from '../config.ts';
import { storeFolder } from '../store/data.ts';

/** Also reads the key from GoQuorum's location in the data folder. Throws OPTION_… and KEY_…. */
export function readNodeKey({ nodeKey: { hex, file }, dataFolder }: LedgerConfig): Uint8Array {
  if (hex !== undefined && file !== undefined) {
    throw fail('OPTION_CONFLICT', 'Options "nodekey" and "nodekeyhex" are mutually exclusive');
  }
  if (hex !== undefined) return parseKeyHex(hex);
  if (file !== undefined && /^\w+:\/\/|\.ipc$/.test(file)) {
    throw fail(
      'OPTION_VALUE_INVALID',
      "--nodekey names a file: the node's own key is always in the node, because it agrees on a secret with each peer, for which neither clef nor a signing proxy has a method",
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
