/**
 * Arguments of `quorate signer`, as users of Web3Signer (`[options] eth1 [options]`) and of
 * EthSigner (`[options] multikey-signer [options]`) write them. Command line takes precedence over
 * environment, environment over configuration file (Web3Signer CascadingDefaultProvider).
 */
import { fail } from '../../core/base/errors.ts';
import { type Variables, valuesInEnvironment } from '../../io/options/environment.ts';
import { type OptionRow, type ParsedOptions, parseOptions } from '../../io/options/options.ts';
import { tracingRows } from '../../io/tracing/settings.ts';
import { readConfigFile } from './options/config-file.ts';
import { KEY_OPTION_ROWS } from './options/keys.ts';
import { SERVER_OPTION_ROWS } from './options/server.ts';
import { UPSTREAM_OPTION_ROWS } from './options/upstream.ts';

export const SIGNER_ROWS: readonly OptionRow[] = [
  ...SERVER_OPTION_ROWS,
  ...UPSTREAM_OPTION_ROWS,
  ...KEY_OPTION_ROWS,
  ...tracingRows('Traces'),
];

export const ETHSIGNER_SUBCOMMANDS = [
  'file-based-signer',
  'hashicorp-signer',
  'azure-signer',
  'multikey-signer',
  'raw-signer',
] as const;
export type EthSignerSubcommand = (typeof ETHSIGNER_SUBCOMMANDS)[number];
const WEB3SIGNER_SUBCOMMAND = 'eth1';

/** Prefixes of environment variables; the last one has the highest precedence. */
export const SIGNER_VARIABLES = [
  'ETHSIGNER_',
  'WEB3SIGNER_',
  'WEB3SIGNER_ETH1_',
  'QUORATE_SIGNER_',
];

/** `positional` of the result is the subcommand, if there is one. Throws OPTION_…. */
export function parseSignerOptions(argv: readonly string[], env: Variables): ParsedOptions {
  const plain = plainArguments(argv);
  const given = valuesInEnvironment(SIGNER_ROWS, env, SIGNER_VARIABLES);
  const first = parseOptions(SIGNER_ROWS, { argv: plain, given });
  const file = first.string('config-file');
  const options =
    file === undefined
      ? first
      : parseOptions(SIGNER_ROWS, {
          argv: plain,
          given: [...readConfigFile(file, SIGNER_ROWS), ...given],
        });
  checkSubcommand(options.positional);
  return options;
}

/** Prefixes a subcommand's own flags with its name; `--flag true` becomes `--flag=true`. */
function plainArguments(argv: readonly string[]): string[] {
  const rows = new Map<string, OptionRow>();
  for (const row of SIGNER_ROWS)
    for (const name of [row.flag, ...(row.aliases ?? [])]) rows.set(name, row);
  const plain: string[] = [];
  let prefix = '';
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!;
    const match = /^--?([^-=][^=]*)(=.*)?$/s.exec(argument);
    if (!match) {
      plain.push(argument);
      prefix ||= isEthSignerSubcommand(argument) ? `${argument}.` : '';
      continue;
    }
    const [, written, value] = match;
    const name = rows.has(prefix + written!) ? prefix + written! : written!;
    const next = argv[at + 1];
    if (value !== undefined) plain.push(`--${name}${value}`);
    else if (next === undefined || !rows.has(name)) plain.push(`--${name}`);
    else if (rows.get(name)!.type !== 'boolean' || /^(true|false)$/i.test(next)) {
      plain.push(`--${name}=${next}`);
      at++;
    } else plain.push(`--${name}`);
  }
  return plain;
}

export function isEthSignerSubcommand(word: string | undefined): word is EthSignerSubcommand {
  return ETHSIGNER_SUBCOMMANDS.includes(word as EthSignerSubcommand);
}

function checkSubcommand([word, ...more]: readonly string[]): void {
  if (word === undefined) return;
  if (word === 'eth2' || word === 'watermark-repair' || word === 'filecoin')
    throw fail(
      'OPTION_REFUSED',
      `${word} is not supported: this proxy signs for the execution layer`,
    );
  if (word !== WEB3SIGNER_SUBCOMMAND && !isEthSignerSubcommand(word))
    throw fail('OPTION_UNKNOWN', `Unmatched argument: '${word}'`);
  if (more.length > 0) throw fail('OPTION_UNKNOWN', `Unmatched argument: '${more[0]}'`);
}
