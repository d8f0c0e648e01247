/**
 * Translates options of an EthSigner or Web3Signer into a configuration file of this proxy.
 */
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { isPathUnit, type OptionRow, type ParsedOptions } from '../../../io/options/options.ts';
import { parseSignerOptions, SIGNER_ROWS } from '../options.ts';
import type { OldProxy } from './old-proxy.ts';

/** Web3Signer's default port; this proxy's default is EthSigner's. */
const WEB3SIGNER_PORT = '9000';
const SECRET = /(secret|password|access-key|access-key-id)$|^raw-signer\.key$/;
const CONFIG = /^(--config-file)(?:=(.*))?$/s;

export interface TranslatedOption {
  readonly flag: string;
  readonly value: string;
  /** Whether the value must not be printed. */
  readonly isSecret: boolean;
  /** The value's origin, or why it is set. */
  readonly from: string;
}

export interface Translation {
  readonly subcommand: string | undefined;
  readonly options: readonly TranslatedOption[];
  /** Options without effect here, and what applies instead. */
  readonly vain: readonly string[];
  readonly notes: readonly string[];
  /** YAML for `quorate signer --config-file`. */
  readonly text: string;
}

/** Throws OPTION_… like `quorate signer`. */
export function translate(old: OldProxy): Translation {
  const parsed = parseSignerOptions(withWholePath(old), old.env);
  const given = SIGNER_ROWS.filter(({ flag, ignored }) => {
    const source = parsed.source(flag);
    return source !== undefined && source !== 'default' && !ignored && flag !== 'config-file';
  });
  const options = [...given.map((row) => translated(row, parsed, old)), ...added(old, parsed)];
  const vain = [...parsed.ignored()].map(([why, flags]) => `${flags.join(', ')}: ${why}`);
  return {
    subcommand: parsed.positional[0],
    ...{ options, vain, notes: notes(old, parsed) },
    text: stringify(Object.fromEntries(options.map(({ flag, value }) => [flag, value]))),
  };
}

/**
 * The arguments with an absolute path of `--config-file`, whose base is the old program's folder.
 */
function withWholePath({ argv, folder }: OldProxy): string[] {
  return argv.map((word, at) => {
    const [, flag, value] = CONFIG.exec(word) ?? [];
    if (value !== undefined) return `${flag}=${resolve(folder, value)}`;
    return argv[at - 1] === '--config-file' ? resolve(folder, word) : word;
  });
}

function translated(row: OptionRow, parsed: ParsedOptions, old: OldProxy): TranslatedOption {
  const { flag } = row;
  const texts = parsed.asArguments(flag).map((text) => text.slice(flag.length + 3));
  const joined = texts.join(',');
  const source = parsed.source(flag);
  const isOutside = old.published !== undefined && flag === 'http-listen-port';
  const value = isPathUnit(row.unit) ? resolve(old.folder, joined) : joined;
  return {
    flag,
    value: isOutside ? String(old.published!.port) : value,
    isSecret: SECRET.test(flag) && !isPathUnit(row.unit),
    from: isOutside
      ? 'published by the container'
      : `${source === 'flag' ? 'command line' : source}`,
  };
}

/** Options for the old program's address, where its options do not give it. */
function added(old: OldProxy, parsed: ParsedOptions): TranslatedOption[] {
  const isGiven = (flag: string) => (parsed.source(flag) ?? 'default') !== 'default';
  const found: TranslatedOption[] = [];
  const add = (flag: string, value: string, from: string) => {
    if (!isGiven(flag)) found.push({ flag, value, isSecret: false, from });
  };
  if (old.published) {
    const { host, port } = old.published;
    add('http-listen-port', String(port), 'published by the container');
    add('http-listen-host', host, 'published by the container');
  } else if (old.program === 'web3signer') {
    add('http-listen-port', WEB3SIGNER_PORT, "Web3Signer's own default");
  }
  return found;
}

function notes(old: OldProxy, parsed: ParsedOptions): string[] {
  const found: string[] = [];
  const node = parsed.string('downstream-http-host') ?? '127.0.0.1';
  if (old.isContainer && /^[a-z][\w-]*$/i.test(node) && node !== 'localhost') {
    found.push(
      `--downstream-http-host=${node} is a name inside the network of the containers: outside, name the address that the node is published at`,
    );
  }
  if (old.isContainer && !old.published) {
    found.push(
      'the container publishes no port: clients inside its network reach this proxy by another name',
    );
  }
  if (parsed.string('data-path') === undefined) {
    found.push('add --data-path: transactions without an end are kept there over a restart');
  }
  return found;
}
