/** Starts the agreement thread. */
import { bareHex } from '../../../core/base/hex.ts';
import { openNodeKey } from '../../../io/keys/far-node-key.ts';
import { builtModule, checkModuleFile } from '../../../io/threads/module-file.ts';
import { startThread } from '../../../io/threads/owned-thread.ts';
import { AgreementThread, type AgreementThreadParts } from './agreement-thread.ts';
import type { AgreementSettings } from './messages.ts';

/** The thread's module. */
export const AGREEMENT_WORKER: URL = builtModule(new URL('./agreement-worker.js', import.meta.url));
/** Heap size of the thread; messages are outside of it. */
const HEAP_MEGABYTES = 512;
/** Size of the young generation: small, so that a collection takes a millisecond. */
const YOUNG_MEGABYTES = 16;

/** Throws INSTALLATION_INCOMPLETE. */
export function startAgreement({
  worker,
  settings,
  ...parts
}: Pick<AgreementThreadParts, 'log' | 'fatal'> & {
  readonly worker: URL;
  readonly settings: AgreementSettings;
}): AgreementThread {
  checkModuleFile(worker);
  const { worker: thread, end } = startThread(worker, {
    name: 'agreement',
    workerData: settings,
    resourceLimits: {
      maxOldGenerationSizeMb: HEAP_MEGABYTES,
      maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
    },
  });
  const id = bareHex(openNodeKey(settings.peers.nodeKey).publicKey);
  return new AgreementThread({ ...parts, thread, end, id });
}
