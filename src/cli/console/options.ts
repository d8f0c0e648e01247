/** Options of the commands that open a JavaScript console, with geth's names. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { readText } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';
import { opensslName } from '../../io/http/cipher-name.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import type { WireOptions, WireTls } from '../../io/rpc-wire/wire.ts';

const GROUP = 'Console';
const CLIENT_GROUP = 'Connection';

export const CONSOLE_ROWS: readonly OptionRow[] = [
  {
    flag: 'exec',
    type: 'string',
    about: 'JavaScript statement to run instead of a dialogue; its value is printed',
    group: GROUP,
  },
  {
    flag: 'preload',
    type: 'list',
    unit: 'file',
    default: [],
    about: 'JavaScript files to run first',
    group: GROUP,
  },
  {
    flag: 'jspath',
    type: 'string',
    unit: 'folder',
    default: '.',
    about: 'Where loadScript and --preload look for files',
    group: GROUP,
  },
];

export const CLIENT_ROWS: readonly OptionRow[] = [
  {
    flag: 'rpcclitoken',
    type: 'string',
    about: 'Access token of the client, as in the Authorization header: "Bearer ..."',
    group: CLIENT_GROUP,
  },
  {
    flag: 'rpcclitls.cert',
    type: 'string',
    unit: 'file',
    about: "The server's certificate (PEM), for https and wss",
    group: CLIENT_GROUP,
  },
  {
    flag: 'rpcclitls.cacert',
    type: 'string',
    unit: 'file',
    about: "Certificate (PEM) of the authority that issued the server's",
    group: CLIENT_GROUP,
  },
  {
    flag: 'rpcclitls.ciphersuites',
    type: 'list',
    default: [],
    about: 'Cipher suites to offer, by their TLS names',
    group: CLIENT_GROUP,
  },
  {
    flag: 'rpcclitls.insecureskipverify',
    type: 'boolean',
    default: false,
    about: 'Accept any server certificate: for tests only',
    group: CLIENT_GROUP,
  },
];

/** The values of `--exec`, `--preload` and `--jspath`. Throws if a file cannot be read. */
export function scriptOptions(options: ParsedOptions) {
  const folder = resolve(options.string('jspath')!);
  checkReadable('jspath', () => readdirSync(folder));
  const preload = options.list('preload');
  for (const path of preload) checkReadable('preload', () => readText(resolve(folder, path)));
  return { exec: options.string('exec') || undefined, preload, folder };
}

/** The files for `quorate js`, as absolute paths. Throws if one cannot be read. */
export function scriptFiles(operands: readonly string[]): readonly string[] {
  if (operands.length === 0)
    throw fail('OPTION_VALUE_MISSING', 'it needs a JavaScript file. Usage: quorate js <file>...');
  for (const path of operands) checkReadable(undefined, () => readText(path));
  return operands.map((path) => resolve(path));
}

function checkReadable(flag: string | undefined, read: () => unknown): void {
  try {
    read();
  } catch (cause) {
    const where = flag === undefined ? '' : `--${flag}: `;
    throw fail('FILE_UNREADABLE', `${where}${reasonOf(cause)}`, { cause });
  }
}

/** The history is in the data folder if there is one, otherwise in the home folder. */
export function historyFile(dataFolder: string): string {
  return existsSync(dataFolder) ? join(dataFolder, 'history') : join(homedir(), '.quorate_history');
}

/** `environment`: QUORUM_PSI names the private state, unless the endpoint names one. */
export function wireOptions(
  options: ParsedOptions,
  environment: Readonly<Record<string, string | undefined>>,
): WireOptions {
  const isSecure = /^(https|wss):/.test(options.positional[0] ?? '');
  return {
    token: options.string('rpcclitoken') || undefined,
    psi: environment.QUORUM_PSI || undefined,
    tls: isSecure ? tlsOf(options) : undefined,
  };
}

function tlsOf(options: ParsedOptions): WireTls {
  const isUnverified = options.boolean('rpcclitls.insecureskipverify');
  const files = isUnverified
    ? []
    : ['rpcclitls.cert', 'rpcclitls.cacert'].filter((flag) => options.string(flag));
  const suites = options.list('rpcclitls.ciphersuites');
  return {
    certificates: files.map((flag) => certificateOf(flag, options.string(flag)!)),
    isUnverified,
    ciphers: suites.length === 0 ? undefined : suites.map(opensslName).join(':'),
  };
}

function certificateOf(flag: string, path: string): string {
  let text = '';
  checkReadable(flag, () => {
    text = readText(path);
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw fail('FILE_UNREADABLE', `--${flag}: ${path} holds no certificate in PEM`);
}
