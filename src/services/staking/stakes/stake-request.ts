/** A client's stake request, with the members of the documented API. Amounts are gwei. */
import { readJsonObject } from '../../../core/base/json-object.ts';
import { badRequest } from './api-error.ts';

export const VALIDATOR_GWEI = 32_000_000_000n;
export const BATCH_MAX = 100;
const LIST_MAX = 100;

const CLOUD_PROVIDERS = ['azure', 'aws'];
const REGIONS = ['as-japan', 'as-singapore', 'eu-sweden', 'eu-ireland', 'us-east', 'us-central'];
const CLIENT_TYPES = ['teku', 'lighthouse'];
/**
 * Both forms are in one group: the documented expression lacks it and accepts any text around them.
 */
const WITHDRAWAL = /^(?:0x[0-9a-fA-F]{96}|0x[0-9a-fA-F]{40})$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO_ADDRESS = /^0x0{40}$/;
const AMOUNT = /^[0-9]{1,20}$/;
const VAULT_NAME = /^[ a-zA-Z0-9_-]{3,20}$/;
/** Characters of a URL, without those that a page or a log would interpret. */
const RELAY = /^https?:\/\/0x[0-9a-fA-F]{96}@[\w.~:/?#[\]!$&()*+,;=%-]{1,200}$/;

export interface StakeTerms {
  readonly withdrawalOwner: string;
  readonly validators: number;
  /** The optional members, as given by the client. */
  readonly options: Readonly<Record<string, unknown>>;
  /** All members, as given by the client. */
  readonly asked: Readonly<Record<string, unknown>>;
}

type Check = (value: unknown, name: string) => void;

const OPTIONS: Readonly<Record<string, Check>> = {
  vault_name: text(VAULT_NAME, '3 to 20 letters, digits, blanks, _ and -'),
  fee_recipient: text(ADDRESS, 'an address'),
  builder_relays: listOf(text(RELAY, 'http(s)://0x<96 hex digits>@host')),
  cloud_providers: listOf(oneOf(CLOUD_PROVIDERS)),
  regions: listOf(oneOf(REGIONS)),
  client_types: listOf(oneOf(CLIENT_TYPES)),
};

/** `body`: UTF-8 JSON. Throws ApiError. */
export function readStakeTerms(body: Uint8Array, validatorsMax: number): StakeTerms {
  const asked = readObject(body);
  const { withdrawal_pubkey: owner, amount, ...options } = asked;
  text(WITHDRAWAL, '0x and 96 or 40 hex digits')(owner, 'withdrawal_pubkey');
  if (ZERO_ADDRESS.test(owner as string)) {
    throw badRequest('withdrawal_pubkey is the zero address: nobody could withdraw');
  }
  text(AMOUNT, 'a decimal number of gwei, as text')(amount, 'amount');
  for (const [name, value] of Object.entries(options)) {
    // Own members only, not inherited ones such as `constructor`.
    const check = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    // Refused, because a misspelt fee_recipient that goes unnoticed would cost money.
    if (!check) throw badRequest(`there is no member ${JSON.stringify(name.slice(0, 50))}`);
    check(value, name);
  }
  return {
    withdrawalOwner: (owner as string).toLowerCase(),
    validators: validatorsOf(BigInt(amount as string), validatorsMax),
    options,
    asked,
  };
}

function readObject(body: Uint8Array): Record<string, unknown> {
  const none = () => badRequest('the body must be a JSON object');
  const twice = (name: string) => badRequest(`member ${name.slice(0, 50)} is given twice`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw none();
  }
  return readJsonObject(text, { none, twice });
}

function validatorsOf(gwei: bigint, max: number): number {
  const count = gwei / VALIDATOR_GWEI;
  if (gwei % VALIDATOR_GWEI !== 0n || count < 1n || count > BigInt(max)) {
    throw badRequest(
      max === 1
        ? `amount must be ${VALIDATOR_GWEI}`
        : `amount must be a multiple of ${VALIDATOR_GWEI}, for at most ${max} validators`,
    );
  }
  return Number(count);
}

function text(form: RegExp, words: string): Check {
  return (value, name) => {
    if (typeof value !== 'string' || !form.test(value))
      throw badRequest(`${name} must be ${words}`);
  };
}

function oneOf(values: readonly string[]): Check {
  return (value, name) => {
    if (!values.includes(value as string)) {
      throw badRequest(`${name} must be one of ${values.join(', ')}`);
    }
  };
}

function listOf(check: Check): Check {
  return (value, name) => {
    if (!Array.isArray(value) || value.length > LIST_MAX)
      throw badRequest(`${name} must be a list`);
    for (const each of value) check(each, name);
  };
}
