/**
 * Every mistake of a genesis file in words. The parser stops at the first one: so each part is read
 * alone, in the place of its like in a file that is sound, and then the whole file.
 */
import { checkStart } from './check-start.ts';
import { genesisFromJson } from './genesis.ts';
import { parseGenesisJson } from './json-fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** Accounts that are looked at one by one; all are by reading the whole file. */
const ACCOUNTS_MAX = 10_000;
const REQUIRED = ['gasLimit', 'difficulty', 'alloc', 'config'];
/** Names that mean something, in the spelling of the clients. */
const KEYS = [
  ...['nonce', 'timestamp', 'extraData', 'gasLimit', 'difficulty', 'mixHash', 'coinbase'],
  ...['alloc', 'number', 'gasUsed', 'parentHash', 'config', 'baseFeePerGas', 'mixhash'],
  ...['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
];

/** Empty where there is none. */
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
  // What stands against each other shows in the whole file; or in what is left of it.
  const rest = { ...soundFile(file), ...sound };
  for (const whole of [file, rest, { ...rest, config: withoutForks(rest.config) }]) {
    const mistake = mistakeIn(() => checkStart(genesisFromJson(whole)));
    if (mistake !== undefined && !isMissing(mistake)) mistakes.add(mistake);
  }
  return [...mistakes];
}

/** The parts that are no mistake by themselves; `mistakes` gets those that are. */
function soundParts(file: Json, mistakes: Set<string>): Json {
  const isSound = (part: Json) => {
    const mistake = mistakeIn(() => genesisFromJson({ ...soundFile(file), ...part }));
    // Forks rest on earlier ones: their order is a matter of the whole file.
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

/** A wrong order of forks is found before all that stands behind it. */
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

/** A file without a mistake, of the same client. */
function soundFile(given: Json): Json & { readonly config?: unknown } {
  const config = memberOf(given, 'config');
  const isQuorum = isObject(config) ? memberOf(config, 'isQuorum') : undefined;
  const flag = typeof isQuorum === 'boolean' ? { isQuorum } : {};
  return { gasLimit: '0x1', difficulty: '0x1', alloc: {}, config: { chainId: 10, ...flag } };
}

/** As JsonFields finds it: whatever the case of letters. */
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

/** Said in words of ours already. */
function isMissing(mistake: string): boolean {
  return /missing required field '\w+' for Genesis$|has no chain configuration/.test(mistake);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without the words that every text begins with. */
function textOf(error: unknown): string {
  return (error as Error).message.replace(/^invalid genesis file: /, '');
}
