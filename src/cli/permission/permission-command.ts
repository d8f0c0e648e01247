/** Shared by the permission commands: the ledger, the contracts, the sending account. */
import { resolve } from 'node:path';
import type { Address } from '../../core/base/bytes.ts';
import { fail, hasCode } from '../../core/base/errors.ts';
import { PERMISSION_CONFIG_FILE, parsePermissionConfig } from '../../core/permission/config.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { isThere, readText } from '../../io/host/files.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import { type ActingParts, act, type Choose } from '../../services/permission/act.ts';
import { addressIn } from '../../services/permission/actions.ts';
import { PermissionLedger } from '../../services/permission/ledger.ts';

const GROUP = 'Permissions';
const SECOND_MS = 1_000;

export const LEDGER_ROWS: readonly OptionRow[] = [
  {
    flag: 'ledger.url',
    type: 'string',
    unit: 'url',
    default: 'http://127.0.0.1:8545',
    about: 'JSON-RPC of a node, or of the signing proxy in front of one',
    group: GROUP,
  },
  {
    flag: 'permission-config',
    type: 'string',
    unit: 'file',
    default: PERMISSION_CONFIG_FILE,
    about: 'The file that says where the contracts are',
    group: GROUP,
  },
];

const SENDING_ROWS: readonly OptionRow[] = [
  {
    flag: 'from',
    type: 'string',
    unit: 'account',
    about: 'Who acts: an account that the node or the proxy signs for',
    group: GROUP,
  },
  {
    flag: 'patience',
    type: 'integer',
    default: 60,
    unit: 'seconds',
    about: 'How long a transaction may take to be in a block',
    group: GROUP,
  },
];

export const ACTION_ROWS: readonly OptionRow[] = [...LEDGER_ROWS, ...SENDING_ROWS];

/** The ledger that the options name. */
export async function withLedger<T>(
  options: ParsedOptions,
  patienceSeconds: number,
  work: (ledger: PermissionLedger) => Promise<T>,
): Promise<T> {
  await installCrypto();
  const ledger = new PermissionLedger(ledgerUrl(options), patienceSeconds * SECOND_MS);
  try {
    return await work(ledger);
  } finally {
    ledger.close();
  }
}

export function configOf(options: ParsedOptions) {
  const file = resolve(options.string('permission-config')!);
  if (!isThere(file)) {
    throw fail(
      'PERMISSION_CONFIG_INVALID',
      `there is no ${file}: name it with --permission-config, or create it with "quorate permission init"`,
    );
  }
  try {
    return parsePermissionConfig(readText(file));
  } catch (cause) {
    if (!hasCode(cause, 'PERMISSION_CONFIG_INVALID')) throw cause;
    throw fail(cause.code, cause.message.replace(/^permission-config\.json/, file), { cause });
  }
}

/** Carries out an operator's request, and prints the result. */
export async function actAs(
  options: ParsedOptions,
  work: (parts: ActingParts) => Promise<string>,
): Promise<number> {
  const config = configOf(options);
  const from = fromOf(options);
  const text = await withLedger(options, options.number('patience')!, (ledger) =>
    work({ ledger, config, from }),
  );
  console.log(text);
  return 0;
}

export interface Verb {
  readonly operands: readonly string[];
  /** Name of the last operand, if it is optional. */
  readonly optional?: string;
  choose(operands: readonly string[], options: ParsedOptions): Choose;
}

/** Runs the verb that the first operand names. */
export async function runVerb(
  command: string,
  verbs: Readonly<Record<string, Verb>>,
  options: ParsedOptions,
): Promise<number> {
  const [name = '', ...operands] = options.positional;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb) {
    const known = Object.keys(verbs).join(', ');
    const what = name === '' ? 'a verb is missing' : `unknown verb "${name}"`;
    throw fail('OPTION_UNKNOWN', `quorate ${command}: ${what}: one of ${known}`);
  }
  const most = verb.operands.length + (verb.optional ? 1 : 0);
  if (operands.length < verb.operands.length || operands.length > most) {
    const tail = verb.optional ? [`[${verb.optional}]`] : [];
    const usage = [...verb.operands.map((each) => `<${each}>`), ...tail].join(' ');
    throw fail('OPTION_VALUE_MISSING', `quorate ${command} ${name} ${usage}`);
  }
  return actAs(options, (parts) => act(parts, verb.choose(operands, options)));
}

function fromOf(options: ParsedOptions): Address {
  const text = options.string('from');
  if (text === undefined)
    throw fail('OPTION_VALUE_MISSING', '--from is missing: give the account that acts');
  return addressIn(text);
}

function ledgerUrl(options: ParsedOptions): string {
  const text = options.string('ledger.url')!;
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw fail('OPTION_VALUE_INVALID', `--ledger.url ${text}: not an http or https URL`);
  }
  return text;
}
