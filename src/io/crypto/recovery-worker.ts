/**
 * The thread that recovery-threads.ts starts: takes rows of signatures, returns addresses in the
 * same order.
 */
import { parentPort } from 'node:worker_threads';
import { recoverRows } from '../../core/chain/sender-recovery.ts';
import { sayLoaded } from '../threads/owned-thread.ts';
import { installCrypto } from './crypto.ts';

await installCrypto();
parentPort!.on('message', (rows: Uint8Array) => {
  const addresses = recoverRows(rows);
  parentPort!.postMessage(addresses, [addresses.buffer as ArrayBuffer]);
});
sayLoaded();
