/**
 * Lists every mistake in a genesis file. The parser stops at the first one, so each part is first
 * read alone, inside an otherwise valid file, and then the whole file is read.
 */
import { checkStart } from './check-start.ts';
import { genesisFromJson } from './genesis.ts';
import { parseGenesisJson } from './json-fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** Accounts that are checked one by one; reading the whole file checks all of them. */
const ACCOUNTS_MAX = 10_000;
const REQUIRED = ['gasLimit', 'difficulty', 'alloc', 'config'];
/** Known names, as the clients spell them. */
const KEYS = [
  ...['nonce', 'timestamp', 'extraData', 'gasLimit', 'difficulty', 'mixHash', 'coinbase'],
  ...['alloc', 'number', 'gasUsed', 'parentHash', 'config', 'baseFeePerGas', 'mixhash'],
  ...['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
];

/** Lists the mistakes; empty if there are none. */
export function genesisMistakes(text: string): string[] {
  let file: unknown;
  try {
    file = parseGenesisJson(text);
  } catch (error) {
    return [textOf(error)];
  }
  if (!isObject(file)) return ['the file is not an object'];
  const mistakes = new Set<string>();
  const sound = soundParts(file, mistakes);
  // Conflicts between parts appear only in the whole file, or in its valid parts together.
  const rest = { ...soundFile(file), ...sound };
  for (const whole of [file, rest, { ...rest, config: withoutForks(rest.config) }]) {
    const mistake = mistakeIn(() => checkStart(genesisFromJson(whole)));
    if (mistake !== undefined && !isMissing(mistake)) mistakes.add(mistake);
  }
  return [...mistakes];
}

/** Keeps the parts that are valid by themselves; faults of the others go to `mistakes`. */
function soundParts(file: Json, mistakes: Set<string>): Json {
  const isSound = (part: Json) => {
    const mistake = mistakeIn(() => genesisFromJson({ ...soundFile(file), ...part }));
    // The order of forks can only be checked in the whole file.
    if (mistake === undefined || /unsupported fork ordering/.test(mistake)) return true;
    mistakes.add(mistake);
    return false;
  };
  for (const name of REQUIRED)
    if (memberOf(file, name) === undefined) mistakes.add(`"${name}" is missing`);
  const parts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(file)) {
    const key = KEYS.find((each) => each.toLowerCase() === name.toLowerCase());
    if (!key) mistakes.add(`"${name}" means nothing: no client reads it`);
    else if (key !== 'config' && key !== 'alloc' && isSound({ [key]: value })) parts[key] = value;
  }
  const config = memberOf(file, 'config');
  if (isObject(config)) parts.config = soundConfig(config, isSound);
  else if (config !== undefined) isSound({ config });
  const alloc = memberOf(file, 'alloc');
  if (isObject(alloc)) parts.alloc = soundAccounts(alloc, isSound);
  else if (alloc !== undefined) isSound({ alloc });
  return parts;
}

function soundConfig(config: Json, isSound: (part: Json) => boolean): Json {
  const base: Record<string, unknown> = { chainId: 10 };
  for (const name of ['isQuorum', 'chainId']) {
    const value = memberOf(config, name);
    if (value !== undefined && isSound({ config: { ...base, [name]: value } })) base[name] = value;
  }
  const found = Object.entries(config).filter(
    ([name, value]) => !(name in base) && isSound({ config: { ...base, [name]: value } }),
  );
  return { ...base, ...Object.fromEntries(found) };
}

/** Needed because a wrong order of forks hides every later mistake. */
function withoutForks(config: unknown): unknown {
  if (!isObject(config)) return config;
  return Object.fromEntries(Object.entries(config).filter(([name]) => !/block$/i.test(name)));
}

function soundAccounts(alloc: Json, isSound: (part: Json) => boolean): Json {
  const found = Object.entries(alloc).filter(
    ([address, account], at) => at >= ACCOUNTS_MAX || isSound({ alloc: { [address]: account } }),
  );
  return Object.fromEntries(found);
}

/** A minimal valid file in the format of the same client. */
function soundFile(given: Json): Json & { readonly config?: unknown } {
  const config = memberOf(given, 'config');
  const isQuorum = isObject(config) ? memberOf(config, 'isQuorum') : undefined;
  const flag = typeof isQuorum === 'boolean' ? { isQuorum } : {};
  return { gasLimit: '0x1', difficulty: '0x1', alloc: {}, config: { chainId: 10, ...flag } };
}

/** Finds a member as JsonFields does: the case of letters does not matter. */
function memberOf(object: Json, name: string): unknown {
  const key = Object.keys(object).findLast((each) => each.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : object[key];
  return value === null ? undefined : value;
}

function mistakeIn(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return textOf(error);
  }
}

/** Such a mistake is already reported in our own words. */
function isMissing(mistake: string): boolean {
  return /missing required field '\w+' for Genesis$|has no chain configuration/.test(mistake);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error's text without the prefix that all of them have. */
function textOf(error: unknown): string {
  return (error as Error).message.replace(/^invalid genesis file: /, '');
}
