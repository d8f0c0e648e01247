/**
 * The policy file: who the callers are, and what each account signs for them. The first rule that
 * names the caller and the account decides; anything else is refused.
 */
import { bareHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { type Place, PolicyFile } from './policy-reader.ts';

export interface Policy {
  /** undefined: every admitted caller uses the name in its credentials. */
  readonly callers: readonly CallerEntry[] | undefined;
  readonly rules: readonly Rule[];
}

/** A caller for whom all given members match. */
export interface CallerEntry {
  readonly name: string;
  readonly anybody: boolean;
  readonly certificate: string | undefined;
  /** Required claims of the token, each with the accepted values. */
  readonly token: readonly (readonly [claim: string, values: readonly string[]])[] | undefined;
  readonly methods: readonly string[] | undefined;
}

/** An undefined list does not restrict anything. */
export interface Rule {
  readonly name: string;
  readonly callers: ReadonlySet<string> | undefined;
  /** 0x, lower case; undefined: all. */
  readonly accounts: ReadonlySet<string> | undefined;
  readonly methods: readonly string[] | undefined;
  readonly transactions: boolean;
  /** 0x, lower case, or `create`. */
  readonly to: ReadonlySet<string> | undefined;
  /** 0x and 8 digits, or `none` for calls without data. */
  readonly selectors: ReadonlySet<string> | undefined;
  readonly maxValue: bigint | undefined;
  readonly maxGas: bigint | undefined;
  /** Compared with gas limit times price. */
  readonly maxFee: bigint | undefined;
  readonly rates: readonly Rate[];
  /** Whether eth_sign and personal_sign are allowed. */
  readonly messages: boolean;
  readonly typedData: readonly TypedDataRule[];
  /** Whether the REST interface may sign data without any prefix. */
  readonly digests: boolean;
}

/** Undefined members match any value. */
export interface TypedDataRule {
  readonly domain: string | undefined;
  /** 0x, lower case. */
  readonly contract: string | undefined;
  readonly primaryType: string | undefined;
}

export interface Rate {
  readonly windowMs: number;
  /** The window as written, such as `1h`. */
  readonly window: string;
  /** Most signatures in the window. */
  readonly count: number | undefined;
  /** Largest sum of values in the window, in wei. */
  readonly value: bigint | undefined;
}

const ROOT = ['version', 'callers', 'rules'];
const CALLER = ['name', 'token', 'certificate', 'anybody', 'methods'];
const RULE = [
  ...['name', 'callers', 'accounts', 'methods', 'transactions', 'to', 'selectors', 'maxValue'],
  ...['maxGas', 'maxFee', 'rates', 'messages', 'typedData', 'digests'],
];
const VERSION = '1';
const COUNT_MAX = 100_000;
const WINDOW_MS_MAX = 31 * 24 * 60 * 60 * 1000;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const UNIT_DIGITS: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 };

/** Throws SIGNER_POLICY_INVALID, which names the line. */
export function parsePolicy(name: string, text: string): Policy {
  const { root } = new PolicyFile(name, text);
  const members = root.members('the policy', ROOT);
  const version = members.get('version');
  if (version && version.text('version') !== VERSION)
    throw version.wrong(`version must be ${VERSION}`);
  const given = members.get('callers');
  const callers = given?.list('callers').map(callerEntry);
  const places = members.get('rules');
  if (!places) throw root.wrong('"rules" is missing: without any, nothing is signed (rules: [])');
  const names = new Set(callers?.map((caller) => caller.name));
  const rules = places.list('rules').map((place, index) => rule(place, index, callers && names));
  if (given && callers) unique(given, callers, 'caller');
  unique(places, rules, 'rule');
  return { callers, rules };
}

function unique(place: Place, items: readonly { readonly name: string }[], what: string): void {
  const seen = new Set<string>();
  for (const [index, { name }] of items.entries()) {
    if (seen.has(name)) throw place.list(what)[index]!.wrong(`another ${what} is called "${name}"`);
    seen.add(name);
  }
}

function callerEntry(place: Place): CallerEntry {
  const members = place.members('a caller', CALLER);
  const name = members.get('name')?.text('name');
  if (name === undefined || name === '') throw place.wrong('a caller must have a name');
  const token = members.get('token');
  const certificate = members.get('certificate')?.text('certificate');
  const anybody = members.get('anybody')?.boolean('anybody') ?? false;
  if (!token && certificate === undefined && !anybody)
    throw place.wrong(`caller "${name}" needs "token", "certificate" or "anybody: true"`);
  return {
    name,
    anybody,
    certificate,
    token: token && claims(token),
    methods: members.get('methods')?.texts('methods'),
  };
}

function claims(place: Place): readonly (readonly [string, readonly string[]])[] {
  return [...place.members('token', [...CLAIMS])].map(([name, value]) => [name, value.texts(name)]);
}

/** Claims that a policy can require. */
const CLAIMS = ['sub', 'iss', 'aud', 'azp', 'client_id', 'scope', 'email', 'groups', 'roles'];

function rule(place: Place, index: number, callers: ReadonlySet<string> | undefined): Rule {
  const members = place.members('a rule', RULE);
  const set = (name: string, item: (text: string) => string | undefined, wanted: string) => {
    const found = members.get(name);
    return (
      found &&
      new Set(listOf(found, name).map((each) => each.parsed(`each of ${name}`, wanted, item)))
    );
  };
  const accounts = set(
    'accounts',
    (text) => (text === '*' ? '*' : address(text)),
    'an address or "*"',
  );
  if (!accounts) throw place.wrong('a rule needs "accounts" (addresses, or "*")');
  const typedData = members.get('typedData');
  return {
    name: members.get('name')?.text('name') ?? `#${index + 1}`,
    callers: set(
      'callers',
      (text) => (!callers || callers.has(text) ? text : undefined),
      'the name of a caller above',
    ),
    accounts: accounts.has('*') ? undefined : accounts,
    methods: members.get('methods')?.texts('methods'),
    transactions: members.get('transactions')?.boolean('transactions') ?? true,
    to: set(
      'to',
      (text) => (text === 'create' ? text : address(text)),
      'an address, or "create" for contract creations',
    ),
    selectors: set(
      'selectors',
      selector,
      '4 bytes in hex, "none", or like transfer(address,uint256)',
    ),
    maxValue: members.get('maxValue')?.parsed('maxValue', AMOUNT, amount),
    maxGas: members.get('maxGas')?.parsed('maxGas', 'a number', whole),
    maxFee: members.get('maxFee')?.parsed('maxFee', AMOUNT, amount),
    rates: members.get('rates')?.list('rates').map(rate) ?? [],
    messages: members.get('messages')?.boolean('messages') ?? false,
    typedData: typedData ? typedDataRules(typedData) : [],
    digests: members.get('digests')?.boolean('digests') ?? false,
  };
}

function typedDataRules(place: Place): readonly TypedDataRule[] {
  if (place.isBoolean())
    return place.boolean('typedData')
      ? [{ domain: undefined, contract: undefined, primaryType: undefined }]
      : [];
  return place.list('typedData').map((item) => {
    const members = item.members('an item of typedData', ['domain', 'contract', 'primaryType']);
    return {
      domain: members.get('domain')?.text('domain'),
      contract: members.get('contract')?.parsed('contract', 'an address', address),
      primaryType: members.get('primaryType')?.text('primaryType'),
    };
  });
}

function rate(place: Place): Rate {
  const members = place.members('a rate', ['per', 'count', 'value']);
  const per = members.get('per');
  if (!per) throw place.wrong('a rate needs "per", such as 1h');
  const window = per.text('per');
  const windowMs = per.parsed('per', 'a time such as 30s, 10m, 1h or 7d, 31d at most', duration);
  const count = members.get('count')?.parsed('count', `1 to ${COUNT_MAX}`, countOf);
  const value = members.get('value')?.parsed('value', AMOUNT, amount);
  if (count === undefined && value === undefined)
    throw place.wrong('a rate needs "count" or "value"');
  return { windowMs, window, count, value };
}

function listOf(place: Place, what: string): readonly Place[] {
  try {
    return place.list(what);
  } catch {
    return [place];
  }
}

const AMOUNT = 'an amount such as 5, 0x10, 20 gwei or 1.5 ether';

export function address(text: string): string | undefined {
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : undefined;
}

function selector(text: string): string | undefined {
  if (text === 'none') return text;
  if (/^0x[0-9a-f]{8}$/i.test(text)) return text.toLowerCase();
  if (!/^[A-Za-z_$][\w$]*\([\w,[\]()]*\)$/.test(text)) return undefined;
  return `0x${bareHex(keccak256(new TextEncoder().encode(text)).subarray(0, 4))}`;
}

function whole(text: string): bigint | undefined {
  return /^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text) ? BigInt(text) : undefined;
}

function amount(text: string): bigint | undefined {
  const plain = whole(text);
  if (plain !== undefined) return plain;
  const match = /^(\d{1,60})(?:\.(\d{1,18}))?\s*(wei|gwei|ether)$/i.exec(text);
  if (!match) return undefined;
  const digits = UNIT_DIGITS[match[3]!.toLowerCase()]!;
  const fraction = match[2] ?? '';
  if (fraction.length > digits) return undefined;
  return BigInt(match[1]! + fraction.padEnd(digits, '0'));
}

function countOf(text: string): number | undefined {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= COUNT_MAX ? value : undefined;
}

function duration(text: string): number | undefined {
  const match = /^(\d{1,7})(s|m|h|d)$/.exec(text);
  const ms = match ? Number(match[1]) * UNIT_MS[match[2]!]! : 0;
  return ms > 0 && ms <= WINDOW_MS_MAX ? ms : undefined;
}
