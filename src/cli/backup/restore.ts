/**
 * `quorate restore`: restores a node, its private transaction manager, and stores of services from
 * a snapshot.
 */
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { systemClock } from '../../io/host/clock.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { SnapshotReader } from '../../io/snapshot/reader.ts';
import { checkNodeTarget, restoreNode } from '../../services/ledger/offline/backup.ts';
import { loadPtm, restorePtmFolder } from '../../services/ptm/backup.ts';
import type { PtmConfig } from '../../services/ptm/config/ptm-config.ts';
import { ptmConfig, readTesseraConfig, withStore } from '../../services/ptm/config.ts';
import { PTM_CONFIG_ROWS, VERBOSITY_ROW } from '../../services/ptm/options.ts';
import { byteProgress } from '../byte-progress.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { CONFIG_SECRETS } from '../ptm/secrets.ts';
import { restoreServices, SERVICE_ROWS } from './service-snapshots.ts';

const GROUP = 'Snapshot';

export const restoreCommand: Command = {
  name: 'restore',
  about:
    'Restores a node, its private transaction manager, and stores of services from a snapshot, after checking all of it.',
  examples: [
    {
      does: 'both, into new folders',
      line: 'quorate restore --from snapshot --datadir data --ptmdir ptm',
    },
    {
      does: 'payloads into the empty store of a configured manager',
      line: 'quorate restore --from snapshot --configfile ptm/config.json',
    },
    {
      does: 'the on-ramp, into another database',
      line: 'quorate restore --from snapshot --ramp.store postgres://quorate@db:5432/ramp',
    },
    { does: 'only check a snapshot', line: 'quorate restore --from snapshot' },
  ],
  rows: [
    { flag: 'from', type: 'string', unit: 'folder', about: 'The snapshot', group: GROUP },
    {
      flag: 'datadir',
      type: 'string',
      unit: 'folder',
      about: "The node's new data folder",
      group: GROUP,
    },
    {
      flag: 'ptmdir',
      type: 'string',
      unit: 'folder',
      about: "The manager's new folder, for its configuration, keys and payloads",
      group: GROUP,
    },
    ...SERVICE_ROWS,
    ...PTM_CONFIG_ROWS,
    VERBOSITY_ROW,
  ],
  async run(options) {
    const [from, dataDirectory] = [options.string('from'), options.string('datadir')];
    if (from === undefined) {
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the snapshot: quorate restore --from snapshot --datadir data --ptmdir ptm',
      );
    }
    await installCrypto();
    const snapshot = new SnapshotReader(from);
    const { createdAt, parts } = snapshot.manifest;
    if (dataDirectory !== undefined) checkNodeTarget(snapshot, dataDirectory);
    await snapshot.check(byteProgress('checked', snapshot.bytes).add);
    console.log(`The snapshot of ${createdAt} is whole: ${Object.keys(parts).join(' and ')}`);
    const progress = byteProgress('restored', snapshot.bytes);
    // The manager first, so that a starting node finds its payloads.
    await restorePtm(options, snapshot, progress.add);
    await restoreServices(options, snapshot);
    if (dataDirectory !== undefined) {
      await restoreNode(snapshot, dataDirectory, progress.add);
      console.log(`Node in ${dataDirectory}: up to block ${parts.node?.head}`);
    }
    return 0;
  },
};

async function restorePtm(
  options: ParsedOptions,
  snapshot: SnapshotReader,
  onBytes: (count: number) => void,
): Promise<void> {
  const [folder, configFile] = [options.string('ptmdir'), options.string('configfile')];
  if (folder === undefined && configFile === undefined) return;
  if (folder !== undefined && configFile !== undefined) {
    throw fail(
      'OPTION_CONFLICT',
      'give --ptmdir for a new manager, or --configfile for an existing one',
    );
  }
  const say = stderrLog(options.number('verbosity')!);
  const config =
    folder === undefined
      ? await ptmConfig(options, { command: 'restore', say, secrets: CONFIG_SECRETS })
      : await newConfig(options, await restorePtmFolder(snapshot, folder));
  const host = { clock: systemClock, say, env: process.env };
  const { payloads, raw, owed } = await loadPtm(snapshot, config, host, onBytes);
  console.log(`Manager: ${payloads} payloads, ${raw} raw, ${owed} owed`);
  if (config.keys.some(({ password }) => password.file !== undefined)) {
    console.log(
      'Its keys are encrypted with a password file, which is not part of a snapshot: see keys.passwordFile',
    );
  }
}

async function newConfig(options: ParsedOptions, file: string): Promise<PtmConfig> {
  const overrides = options.list('override');
  const { config } = await readTesseraConfig(file, overrides, CONFIG_SECRETS);
  const store = options.string('store');
  return store === undefined ? config : withStore(config, store);
}
