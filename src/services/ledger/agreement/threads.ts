/** Starts the thread of agreement. */
import { Worker } from 'node:worker_threads';
import { bareHex } from '../../../core/base/hex.ts';
import { secp256k1 } from '../../../core/base/secp256k1.ts';
import { AgreementThread, type AgreementThreadParts } from './agreement-thread.ts';
import type { AgreementSettings } from './messages.ts';

/** Its module. Threads load no TypeScript: a process that runs from its sources takes the build's. */
export const AGREEMENT_WORKER: URL = new URL(
  new URL('./agreement-worker.js', import.meta.url).href.replace(
    /\/src\/(services\/ledger\/agreement\/agreement-worker\.js)$/,
    '/dist/$1',
  ),
);
/** Of its heap; messages lie outside of it. */
const HEAP_MEGABYTES = 512;
/** Of what lives shortly: small, so that collecting it takes a millisecond. */
const YOUNG_MEGABYTES = 16;

export function startAgreement({
  worker,
  settings,
  ...parts
}: Pick<AgreementThreadParts, 'log' | 'fatal'> & {
  readonly worker: URL;
  readonly settings: AgreementSettings;
}): AgreementThread {
  const thread = new Worker(worker, {
    name: 'agreement',
    workerData: settings,
    resourceLimits: {
      maxOldGenerationSizeMb: HEAP_MEGABYTES,
      maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
    },
  });
  const id = bareHex(secp256k1().publicKey(settings.peers.nodeKey));
  return new AgreementThread({ ...parts, thread, id });
}
