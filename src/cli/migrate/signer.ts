/** `quorate migrate signer`. */
import { existsSync, writeFileSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { reasonOf } from '../../io/host/reason.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import { signerConfig } from '../../services/signer/config.ts';
import { fromCompose } from '../../services/signer/migration/compose.ts';
import { checkKeys, type KeysReport } from '../../services/signer/migration/migrate-signer.ts';
import {
  fromCommandLine,
  fromProcess,
  type OldProxy,
} from '../../services/signer/migration/old-proxy.ts';
import { shellWords } from '../../services/signer/migration/shell-words.ts';
import { type Translation, translate } from '../../services/signer/migration/translate.ts';
import { fromUnit } from '../../services/signer/migration/unit.ts';
import { parseSignerOptions } from '../../services/signer/options.ts';
import type { Command } from '../command.ts';
import { stderrLog } from '../log.ts';

/** Exit status: a key cannot be loaded or is a different one, which is reported. */
const FOUND_EXIT_CODE = 2;
const GROUP = 'Migration';
const LISTED_MAX = 100;
const LOG_LEVEL = 2;

const ROWS: readonly OptionRow[] = [
  {
    flag: 'unit',
    type: 'string',
    unit: 'file',
    about: 'The systemd unit that starts the old proxy',
    group: GROUP,
  },
  {
    flag: 'compose',
    type: 'string',
    unit: 'file',
    about: 'The compose file that starts it; paths in the container become those of its mounts',
    group: GROUP,
  },
  {
    flag: 'service',
    type: 'string',
    about: 'Its service in the compose file, if there are several',
    group: GROUP,
  },
  {
    flag: 'pid',
    type: 'integer',
    about: 'The process of the old proxy: its arguments and environment (Linux)',
    group: GROUP,
  },
  {
    flag: 'out',
    type: 'string',
    unit: 'file',
    about: 'Write the configuration to this file, for "quorate signer --config-file"',
    group: GROUP,
  },
  {
    flag: 'old',
    type: 'string',
    about: 'URL of the old proxy: its eth_accounts are compared with the loaded keys',
    group: GROUP,
  },
];

export const migrateSignerCommand: Command = {
  name: 'migrate signer',
  about:
    'Translates how an EthSigner or Web3Signer is started (command line, process, systemd unit or compose file, with its environment and configuration file) into a configuration for "quorate signer", and loads every key once: each must open and have the stated address. The files of the old proxy are never written to.',
  operands: '[-- <command line of the old proxy>]',
  operandsMax: Number.POSITIVE_INFINITY,
  examples: [
    {
      does: 'from a command line',
      line: 'quorate migrate signer --out signer.yaml -- ethsigner --chain-id=1337 --downstream-http-port=22000 multikey-signer --directory=/keys',
    },
    {
      does: 'from a systemd unit, compared with the running proxy',
      line: 'quorate migrate signer --unit /etc/systemd/system/ethsigner.service --old http://127.0.0.1:8545 --out signer.yaml',
    },
    {
      does: 'from a compose file',
      line: 'quorate migrate signer --compose docker-compose.yml --service signer --out signer.yaml',
    },
  ],
  rows: ROWS,
  async run(options) {
    const oldUrl = options.string('old');
    if (oldUrl !== undefined) checkUrl(oldUrl);
    const old = oldProxy(options);
    const found = translate(old);
    await installCrypto();
    const config = signerConfig(parseSignerOptions(asArguments(found), {}));
    const log = stderrLog(LOG_LEVEL);
    const env = { ...process.env, ...old.env };
    const report = await checkKeys(config, { env, log, oldUrl });
    const out = options.string('out');
    console.log([...told(old, found), ...toldKeys(report)].join('\n'));
    const { errors, comparison } = report;
    if (errors > 0 || (comparison?.missing.length ?? 0) > 0) return FOUND_EXIT_CODE;
    if (out === undefined) console.log(`Configuration (--out FILE writes it):\n${masked(found)}`);
    else write(out, found.text);
    console.log(
      `Start it: quorate signer --config-file ${out ?? 'FILE'}${found.subcommand ? ` ${found.subcommand}` : ''}`,
    );
    return 0;
  },
};

function checkUrl(text: string): void {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return;
  throw fail('OPTION_VALUE_INVALID', `--old: ${text} is not the URL of a proxy`);
}

function oldProxy(options: ParsedOptions): OldProxy {
  const [unit, compose, pid] = [
    options.string('unit'),
    options.string('compose'),
    options.number('pid'),
  ];
  const words = options.positional;
  const ways = [unit, compose, pid, words[0]].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw fail(
      ways.length === 0 ? 'OPTION_VALUE_MISSING' : 'OPTION_REFUSED',
      'name one of --unit FILE, --compose FILE, --pid PID, or the command line behind --: quorate migrate signer -- ethsigner --chain-id=1337 ...',
    );
  }
  if (unit !== undefined) return fromUnit(unit);
  if (compose !== undefined) return fromCompose(compose, options.string('service'), process.env);
  if (pid !== undefined) return fromProcess(pid);
  // A quoted command line is split as a shell would split it.
  const line = words.length === 1 ? shellWords(words[0]!, process.env) : words;
  return fromCommandLine(line, process.env, process.cwd());
}

function asArguments({ options, subcommand }: Translation): string[] {
  const own = options.map(({ flag, value }) => `--${flag}=${value}`);
  return subcommand === undefined ? own : [...own, subcommand];
}

function told({ program }: OldProxy, { options, vain, notes }: Translation): string[] {
  return [
    `Options of ${program}:`,
    ...options.map(
      ({ flag, value, isSecret, from }) =>
        `  --${flag}=${isSecret ? '(hidden)' : value}   (${from})`,
    ),
    ...vain.map((text) => `Without effect: ${text}`),
    ...notes.map((text) => `Look at: ${text}`),
  ];
}

function toldKeys({ addresses, errors, comparison }: KeysReport): string[] {
  const lines = [
    `Keys: ${addresses.length} loaded and opened; each has the stated address${errors > 0 ? `; ${errors} NOT loaded, see above` : ''}`,
    ...addresses.slice(0, LISTED_MAX).map((address) => `  ${address}`),
  ];
  if (addresses.length > LISTED_MAX) lines.push(`  and ${addresses.length - LISTED_MAX} more`);
  if (!comparison) return lines;
  const { missing, added } = comparison;
  return [
    ...lines,
    ...missing.map((address) => `DIFFERENT: the old proxy has ${address}, which is missing here`),
    ...added.map((address) => `Only here: ${address}`),
    ...(missing.length + added.length === 0 ? ['The old proxy has the same accounts.'] : []),
  ];
}

function masked({ options }: Translation): string {
  return options
    .map(({ flag, value, isSecret }) => `${flag}: ${isSecret ? '(hidden)' : value}`)
    .join('\n');
}

function write(file: string, text: string): void {
  if (existsSync(file)) throw fail('OPTION_VALUE_INVALID', `--out: ${file} exists already`);
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw fail('FILE_UNREADABLE', `cannot write ${file}: ${reasonOf(cause)}`, {
      data: { path: file },
    });
  }
}
