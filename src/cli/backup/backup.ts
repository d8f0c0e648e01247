/**
 * `quorate backup`: a snapshot of a node, its private transaction manager, and stores of services,
 * while they run.
 */
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { VERSION } from '../../io/host/client-version.ts';
import { systemClock } from '../../io/host/clock.ts';
import { SnapshotWriter } from '../../io/snapshot/writer.ts';
import { backupNode, blockBytes } from '../../services/ledger/offline/backup.ts';
import { backupPtm } from '../../services/ptm/backup.ts';
import { ptmConfig } from '../../services/ptm/config.ts';
import { PTM_CONFIG_ROWS, VERBOSITY_ROW } from '../../services/ptm/options.ts';
import { byteProgress } from '../byte-progress.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { CONFIG_SECRETS } from '../ptm/secrets.ts';
import { backupServices, namesService, SERVICE_ROWS } from './service-snapshots.ts';

const GROUP = 'Snapshot';

export const backupCommand: Command = {
  name: 'backup',
  about:
    'Copies a node, its private transaction manager, and stores of services into a new folder, while they run.',
  examples: [
    {
      does: 'both, in a consistent order',
      line: 'quorate backup --datadir data --configfile ptm/config.json --out snapshot',
    },
    {
      does: 'the stores of the on-ramp and of the staking service',
      line: 'quorate backup --ramp.datadir ramp-data --staking.datadir staking-data --out snapshot',
    },
    { does: 'a node alone', line: 'quorate backup --datadir data --out snapshot' },
  ],
  rows: [
    {
      flag: 'out',
      type: 'string',
      unit: 'folder',
      about: 'The new folder, preferably on another disk',
      group: GROUP,
    },
    {
      flag: 'datadir',
      type: 'string',
      unit: 'folder',
      about: "The node's data folder",
      group: GROUP,
    },
    ...SERVICE_ROWS,
    ...PTM_CONFIG_ROWS,
    VERBOSITY_ROW,
  ],
  async run(options) {
    const [out, dataDirectory] = [options.string('out'), options.string('datadir')];
    const configFile = options.string('configfile');
    if (out === undefined || !(dataDirectory ?? configFile ?? namesService(options))) {
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the source and the target: quorate backup --datadir data --configfile config.json --out snapshot',
      );
    }
    await installCrypto();
    const say = stderrLog(options.number('verbosity')!);
    let progress = byteProgress('copied');
    const add = (count: number) => progress.add(count);
    const config =
      configFile === undefined
        ? undefined
        : await ptmConfig(options, { command: 'backup', say, secrets: CONFIG_SECRETS });
    const writer = new SnapshotWriter(out, add);
    try {
      if (dataDirectory !== undefined) {
        progress = byteProgress("copied of the node's data", blockBytes(dataDirectory));
        const { head, hash } = await backupNode(dataDirectory, writer);
        console.log(`Node: up to block ${head} ${hash}`);
        progress = byteProgress('copied');
      }
      if (config && configFile !== undefined) {
        const host = { clock: systemClock, say, env: process.env };
        const counts = await backupPtm(config, configFile, writer, host, add);
        console.log(`Manager: ${counts.payloads} payloads, ${counts.raw} raw, ${counts.owed} owed`);
      }
      await backupServices(options, writer);
      const bytes = writer.finish(`quorate ${VERSION}`, systemClock.nowMs());
      console.log(`Snapshot of ${bytes} bytes in ${out}`);
    } catch (error) {
      writer.abandon();
      throw error;
    }
    return 0;
  },
};
