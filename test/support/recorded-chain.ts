/**
 * A data folder with the recorded GoQuorum chain: public and private states as on node 1 of the
 * recording.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex } from '../../src/core/base/hex.ts';
import { type PrivateStates, SINGLE_PRIVATE_STATE } from '../../src/core/privacy/private-states.ts';
import { systemClock } from '../../src/io/host/clock.ts';
import { systemEffort } from '../../src/io/host/effort.ts';
import { systemTimers } from '../../src/io/host/timers.ts';
import { importBlocks } from '../../src/services/ledger/offline/import.ts';
import {
  type OpenChain,
  type OpenOptions,
  openChain,
} from '../../src/services/ledger/store/data.ts';
import { OWN_VECTORS } from '../vectors/folders.ts';
import { readBlocks } from '../vectors/goquorum-blocks.ts';
import { recordedManager } from './recorded-connected.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');

/** Imports the blocks of a file with the payloads of node 1, as a node would. */
export async function importRecorded(
  opened: OpenChain,
  file: string,
  privateStates: PrivateStates = SINGLE_PRIVATE_STATE,
): Promise<void> {
  await importBlocks([file], {
    opened,
    manager: await recordedManager(RECORDING, 'node1'),
    privateStates,
    consensusDefaults: {},
    clock: systemClock,
    timers: systemTimers,
    effort: systemEffort,
    log: () => {},
    recovery: undefined,
    shouldStop: () => false,
  });
}

/** Resolves with the number of its last block. `accounts`: with the index of accounts. */
export async function recordedChain(
  dataDirectory: string,
  accounts?: OpenOptions['accounts'],
): Promise<number> {
  const blocks = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz')).filter(
    ({ number }) => number > 0,
  );
  const file = `${dataDirectory}.rlp`;
  writeFileSync(file, Buffer.concat(blocks.map(({ rlp }) => fromHex(rlp))));
  const genesisFile = join(RECORDING, 'genesis.json');
  const opened = await openChain(dataDirectory, { genesisFile, accounts });
  await importRecorded(opened, file);
  const { number } = opened.store.head()!;
  await opened.close();
  rmSync(file);
  return number;
}
