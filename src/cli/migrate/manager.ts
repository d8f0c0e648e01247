/** `quorate migrate manager`. */
import { toBase64 } from '../../core/base/base64.ts';
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import {
  type ManagerReport,
  migrateManager,
} from '../../services/ptm/migration/migrate-manager.ts';
import { PTM_CONFIG_ROWS, VERBOSITY_ROW } from '../../services/ptm/options.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';
import { tellCheck } from '../ptm/check.ts';
import { CONFIG_SECRETS } from '../ptm/secrets.ts';

/** Exit status: something differs, and is reported. */
const FOUND_EXIT_CODE = 2;
const GROUP = 'Migration';
const FLAGS = ['standard', 'party protection', 'mandatory recipients', 'private state validation'];

const ROWS: readonly OptionRow[] = [
  ...PTM_CONFIG_ROWS.filter(({ flag }) => flag !== 'store'),
  {
    flag: 'ptmdir',
    type: 'string',
    unit: 'folder',
    about: 'The new folder: configuration, keys and payloads',
    group: GROUP,
  },
  {
    flag: 'dump',
    type: 'string',
    unit: 'file',
    about: 'An SQL export of the database (H2, MySQL, MariaDB, SQLite, PostgreSQL)',
    group: GROUP,
  },
  {
    flag: 'in-place',
    type: 'boolean',
    about: "Leave the payloads in Tessera's PostgreSQL database, and use it from now on",
    group: GROUP,
  },
  {
    flag: 'without-damaged',
    type: 'boolean',
    about: 'Skip damaged payloads, and count them',
    group: GROUP,
  },
  {
    flag: 'dry-run',
    type: 'boolean',
    about: 'Open the keys, find the database, and show what would be migrated; Tessera may run',
    group: GROUP,
  },
  VERBOSITY_ROW,
];

export const migrateManagerCommand: Command = {
  name: 'migrate manager',
  about:
    "Migrates a stopped Tessera from its configuration file into a new folder: keys, peers, residents and payloads. Each payload is compared with the source and decrypted. PostgreSQL and SQLite are read directly; H2, MySQL and MariaDB through an SQL export, whose command line is printed. Tessera's files and database are only read.",
  examples: [
    {
      does: 'show what would be migrated, and which export is needed',
      line: 'quorate migrate manager --configfile tessera.json --dry-run',
    },
    {
      does: 'from an export of H2 or MySQL',
      line: 'quorate migrate manager --configfile tessera.json --dump tessera.sql --ptmdir ptm',
    },
    {
      does: 'use the PostgreSQL database of Tessera in place',
      line: 'quorate migrate manager --configfile tessera.json --in-place --ptmdir ptm',
    },
  ],
  rows: ROWS,
  async run(options) {
    const configFile = options.string('configfile');
    const target = options.string('ptmdir');
    const isDry = options.boolean('dry-run') === true;
    if (configFile === undefined || (target === undefined && !isDry)) {
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the configuration and the target: quorate migrate manager --configfile tessera.json --ptmdir ptm',
      );
    }
    await installCrypto();
    const report = await migrateManager({
      ...{ configFile, target: isDry ? undefined : target, secrets: CONFIG_SECRETS },
      overrides: options.list('override'),
      dump: options.string('dump'),
      isInPlace: options.boolean('in-place') === true,
      withoutDamaged: options.boolean('without-damaged') === true,
      env: process.env,
      say: stderrLog(options.number('verbosity')!),
    });
    return tell(report, options);
  },
};

function tell(report: ManagerReport, options: ParsedOptions): number {
  const { config, keys, place, warnings, answering, comparison, moved, check } = report;
  const { residentGroups, peers } = config;
  const lines = [
    `Payloads from: ${place}`,
    `Keys: ${keys.length}, each opened and compared with its public key: ${keys.map(toBase64).join(', ')}`,
    `Peers: ${peers.join(', ') || 'none'}`,
    `Private states: ${residentGroups.map(({ name, members }) => `${name} (${members.length} keys)`).join(', ') || 'one, of all keys'}`,
    ...warnings.map((text) => `Differs from Tessera: ${text}`),
    ...answering.map((at) => `Tessera runs, and answers at ${at}: stop it before the migration.`),
  ];
  if (!comparison || !check) {
    console.log([...lines, 'Nothing was written.'].join('\n'));
    return 0;
  }
  console.log([...lines, ...table(report)].join('\n'));
  const status = tellCheck(check);
  if (comparison.difference !== undefined) {
    console.log(`DIFFERENT: ${comparison.difference}. The target was not created; start again.`);
    return FOUND_EXIT_CODE;
  }
  if ((moved?.damaged ?? 0) > 0 || (moved?.staged ?? 0) > 0) {
    console.log('Once it runs, stop it and fetch what is missing: quorate ptm recover');
  }
  console.log(`Start it: quorate ptm --configfile ${options.string('ptmdir')}/config.json`);
  return status;
}

function table({ comparison, moved }: ManagerReport): string[] {
  const { payloads, raw, groups, flags, affected, affectedMissing, missing } = comparison!;
  const rows: [string, number][] = [
    ['payloads', payloads],
    ...FLAGS.map((name, flag): [string, number] => [`  of them ${name}`, flags[flag]!]),
    ['raw payloads', raw],
    ['privacy groups', groups],
    ['payloads on which others depend', affected],
    ['  of them not here, as in the source', affectedMissing],
  ];
  if (moved && moved.damaged > 0) rows.push(['skipped: damaged', moved.damaged]);
  if (moved && moved.staged > 0) rows.push(['skipped: of an unfinished recovery', moved.staged]);
  return [
    'Compared with the source:',
    ...rows.map(([what, count]) => `  ${what.padEnd(44)}${String(count).padStart(12)}`),
    ...missing.map((hash) => `Missing, as in the source: ${toBase64(hash)}`),
  ];
}
