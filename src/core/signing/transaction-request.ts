/**
 * A transaction as a client describes it, decoded and checked: what will be signed, except for the
 * nonce (EthSigner EthSendTransactionJsonParameters).
 */

import { fromBase64 } from '../base/base64.ts';
import { EMPTY_BYTES, equalBytes } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import type { AccessListEntry, TransactionBody, TransactionType } from '../chain/transaction.ts';
import { isPrivacyFlag } from '../privacy/flags.ts';
import { badParams, refuse } from './failures.ts';
import {
  accountName,
  addressOrNone,
  type Fields,
  hexData,
  objectOf,
  quantity,
  quantity64,
} from './request-fields.ts';

const GAS_DEFAULT = 90_000n;
const MANAGER_KEY_BYTES = 32;
const PAYLOAD_HASH_BYTES = 64;
const RECIPIENTS_MAX = 1_024;
const ACCESS_LIST_ENTRIES_MAX = 10_000;
const RESTRICTED = 'restricted';

/** Fields that all kinds of requests have. */
export type RequestBody = Pick<
  TransactionBody,
  | 'type'
  | 'gasPrice'
  | 'maxFeePerGas'
  | 'maxPriorityFeePerGas'
  | 'gasLimit'
  | 'to'
  | 'value'
  | 'data'
  | 'accessList'
>;

interface Common {
  /** 0x, lower case; an address, or any text that the client gave. */
  readonly from: string;
  /** undefined: the next nonce. */
  readonly nonce: bigint | undefined;
  /** False: the gas limit is the default. */
  readonly namesGas: boolean;
  readonly body: RequestBody;
}

/** Keys of managers in base64, as the node expects them. */
export interface PrivateTerms {
  readonly privateFrom: string | undefined;
  readonly privateFor: readonly string[];
  readonly privacyFlag: number | undefined;
  readonly mandatoryFor: readonly string[] | undefined;
}

/** Recipients of an EEA transaction, as raw keys and as the client spelled them. */
export interface EeaTerms {
  readonly privateFrom: Uint8Array;
  readonly recipients:
    | {
        readonly kind: 'parties';
        readonly keys: readonly Uint8Array[];
        readonly texts: readonly string[];
      }
    | { readonly kind: 'group'; readonly id: Uint8Array; readonly text: string };
  readonly privateFromText: string;
}

export type TransactionRequest =
  | (Common & { readonly kind: 'public' })
  | (Common & { readonly kind: 'private'; readonly terms: PrivateTerms })
  | (Common & { readonly kind: 'eea'; readonly terms: EeaTerms });

const BODY_MEMBERS = [
  ...['from', 'to', 'gas', 'gasLimit', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'nonce'],
  ...['value', 'data', 'input', 'chainId', 'type', 'accessList'],
];
const PRIVATE_MEMBERS = ['privateFrom', 'privateFor', 'privacyFlag', 'mandatoryFor', 'restriction'];
const ETH_MEMBERS: ReadonlySet<string> = new Set([...BODY_MEMBERS, ...PRIVATE_MEMBERS]);
const EEA_MEMBERS: ReadonlySet<string> = new Set([
  ...BODY_MEMBERS,
  ...['privateFrom', 'privateFor', 'privacyGroupId', 'restriction'],
]);

/** The single element of the list, or the object itself, as EthSigner accepts it. */
function onlyObject(params: unknown): Fields {
  if (!Array.isArray(params)) return objectOf(params, 'the transaction');
  if (params.length !== 1) throw badParams('one transaction object is required');
  return objectOf(params[0], 'the transaction');
}

/**
 * Reads the parameters of `eth_sendTransaction` and `eth_signTransaction`. Throws SIGNER_PARAMS,
 * SIGNER_CHAIN_ID or SIGNER_PRIVATE_VALUE.
 */
export function readEthRequest(params: unknown, chainId: bigint): TransactionRequest {
  const fields = onlyObject(params);
  refuseUnknown(fields, ETH_MEMBERS);
  const from = readFrom(fields);
  const nonce = quantity(fields, 'nonce');
  const body = readBody(fields, chainId);
  const common = { from, nonce, body, namesGas: readGas(fields) !== undefined };
  const terms = readPrivateTerms(fields);
  if (!terms) return { kind: 'public', ...common };
  if (body.value !== 0n) throw refuse('SIGNER_PRIVATE_VALUE');
  if (body.accessList.length > 0) throw badParams('a private transaction has no access list');
  if (body.data.length === 0) throw badParams('a private transaction needs data');
  return { kind: 'private', ...common, terms };
}

/** Reads the parameters of `eea_sendTransaction`. */
export function readEeaRequest(params: unknown, chainId: bigint): TransactionRequest {
  const fields = onlyObject(params);
  refuseUnknown(fields, EEA_MEMBERS);
  const from = readFrom(fields);
  const nonce = quantity(fields, 'nonce');
  const body = readBody(fields, chainId);
  if (body.value !== 0n) throw badParams('value: private transactions cannot transfer ether');
  if (body.accessList.length > 0) throw badParams('an EEA transaction has no access list');
  const namesGas = readGas(fields) !== undefined;
  return { kind: 'eea', from, nonce, namesGas, body, terms: readEeaTerms(fields) };
}

/** True: private with dynamic fees, which private transactions cannot have; see `atPrice`. */
export function wantsPrice({ kind, body }: TransactionRequest): boolean {
  return kind !== 'public' && body.type === 2;
}

/**
 * The same request as a legacy transaction: it pays the suggested price, or the tip if higher, but
 * not more than its fees allow; nothing if gas is free. `suggested`: the node's price in wei.
 */
export function atPrice(request: TransactionRequest, suggested: bigint): TransactionRequest {
  const { maxFeePerGas, maxPriorityFeePerGas } = request.body;
  const wanted =
    suggested > 0n && maxPriorityFeePerGas > suggested ? maxPriorityFeePerGas : suggested;
  const gasPrice = wanted < maxFeePerGas ? wanted : maxFeePerGas;
  return { ...request, body: { ...request.body, type: 0, gasPrice } };
}

function refuseUnknown(fields: Fields, known: ReadonlySet<string>): void {
  for (const name of Object.keys(fields))
    if (!known.has(name)) throw badParams(`unknown member "${name.slice(0, 64)}"`);
}

function readFrom(fields: Fields): string {
  const { from } = fields;
  if (typeof from !== 'string' || from === '') throw badParams('from is missing');
  return accountName(from);
}

function readBody(fields: Fields, chainId: bigint): RequestBody {
  const wanted = quantity(fields, 'chainId');
  if (wanted !== undefined && wanted !== chainId)
    throw refuse('SIGNER_CHAIN_ID', `chainId is ${wanted}, but this proxy signs for ${chainId}`);
  const fees = readFees(fields);
  const accessList = readAccessList(fields);
  const type = readType(fields, fees !== undefined, accessList !== undefined);
  const gasPrice = quantity(fields, 'gasPrice') ?? 0n;
  return {
    type,
    gasPrice: fees?.maxFeePerGas ?? gasPrice,
    maxFeePerGas: fees?.maxFeePerGas ?? gasPrice,
    maxPriorityFeePerGas: fees?.maxPriorityFeePerGas ?? gasPrice,
    gasLimit: readGas(fields) ?? GAS_DEFAULT,
    to: addressOrNone(fields, 'to'),
    value: quantity(fields, 'value') ?? 0n,
    data: readData(fields),
    accessList: accessList ?? [],
  };
}

/** The dynamic fees; with these, `gasPrice` is ignored. */
function readFees(
  fields: Fields,
): { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint } | undefined {
  const maxFeePerGas = quantity(fields, 'maxFeePerGas');
  const tip = quantity(fields, 'maxPriorityFeePerGas');
  if (maxFeePerGas === undefined) {
    if (tip === undefined) return undefined;
    throw badParams('maxPriorityFeePerGas needs maxFeePerGas');
  }
  if (tip !== undefined && tip > maxFeePerGas)
    throw badParams('maxPriorityFeePerGas is larger than maxFeePerGas');
  return { maxFeePerGas, maxPriorityFeePerGas: tip ?? 0n };
}

function readType(fields: Fields, hasFees: boolean, hasAccessList: boolean): TransactionType {
  const found = hasFees ? 2 : hasAccessList ? 1 : 0;
  const wanted = quantity(fields, 'type');
  if (wanted === undefined || wanted === BigInt(found)) return found;
  // A type 1 transaction may lack the list: wallets omit an empty one.
  if (wanted === 1n && !hasFees) return 1;
  throw badParams(
    wanted > 2n
      ? `type ${wanted} is not supported: use 0, 1 or 2`
      : `type ${wanted} does not agree with the fees and the access list given`,
  );
}

function readGas(fields: Fields): bigint | undefined {
  const gas = quantity64(fields, 'gas');
  const limit = quantity64(fields, 'gasLimit');
  if (gas !== undefined && limit !== undefined && gas !== limit)
    throw badParams('gas and gasLimit disagree');
  return gas ?? limit;
}

function readData(fields: Fields): Uint8Array {
  const data = hexData(fields, 'data');
  const input = hexData(fields, 'input');
  if (data && input && !equalBytes(data, input)) throw badParams('data and input disagree');
  return data ?? input ?? EMPTY_BYTES;
}

function readAccessList(fields: Fields): AccessListEntry[] | undefined {
  const list = fields.accessList;
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list) || list.length > ACCESS_LIST_ENTRIES_MAX)
    throw badParams(`accessList must be a list of at most ${ACCESS_LIST_ENTRIES_MAX} entries`);
  return list.map((each, index) => {
    const entry = objectOf(each, `accessList[${index}]`);
    const address = addressOrNone(entry, 'address');
    const keys = entry.storageKeys ?? [];
    if (!address || !Array.isArray(keys))
      throw badParams(`accessList[${index}] needs an address and storageKeys`);
    return { address, slots: keys.map((key) => word(key, `accessList[${index}].storageKeys`)) };
  });
}

function word(value: unknown, name: string): Uint8Array {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)) return fromHex(value);
  throw badParams(`${name} must hold words of 32 bytes`);
}

/**
 * undefined: a public transaction. Members of private transactions are never ignored, because that
 * would publish the payload.
 */
function readPrivateTerms(fields: Fields): PrivateTerms | undefined {
  const privateFor = managerKeys(fields, 'privateFor');
  if (!privateFor) {
    for (const name of PRIVATE_MEMBERS)
      if (fields[name] !== undefined && fields[name] !== null)
        throw badParams(`${name} is given without privateFor`);
    return undefined;
  }
  const flag = fields.privacyFlag ?? undefined;
  if (flag !== undefined && !(typeof flag === 'number' && isPrivacyFlag(flag)))
    throw badParams('privacyFlag must be 0, 1, 2 or 3');
  readRestriction(fields, false);
  const privateFrom = fields.privateFrom ?? undefined;
  if (privateFrom !== undefined && privateFrom !== '') managerKey(privateFrom, 'privateFrom');
  return {
    privateFrom: privateFrom === '' ? undefined : (privateFrom as string | undefined),
    privateFor,
    privacyFlag: flag as number | undefined,
    mandatoryFor: managerKeys(fields, 'mandatoryFor'),
  };
}

function readEeaTerms(fields: Fields): EeaTerms {
  const { privateFrom, privacyGroupId } = fields;
  const privateFromKey = managerKey(privateFrom, 'privateFrom');
  const texts = managerKeys(fields, 'privateFor');
  const hasGroup = privacyGroupId !== undefined && privacyGroupId !== null;
  if (hasGroup === (texts !== undefined))
    throw badParams('either privateFor or privacyGroupId must be given');
  readRestriction(fields, true);
  const own = { privateFrom: privateFromKey, privateFromText: privateFrom as string };
  if (texts)
    return {
      ...own,
      recipients: { kind: 'parties', texts, keys: texts.map((text) => fromBase64(text)) },
    };
  const id = managerKey(privacyGroupId, 'privacyGroupId');
  return { ...own, recipients: { kind: 'group', id, text: privacyGroupId as string } };
}

function readRestriction(fields: Fields, isNeeded: boolean): void {
  const { restriction } = fields;
  if (!isNeeded && (restriction === undefined || restriction === null)) return;
  if (typeof restriction === 'string' && restriction.toLowerCase() === RESTRICTED) return;
  throw badParams('restriction must be "restricted"');
}

function managerKeys(fields: Fields, name: string): string[] | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > RECIPIENTS_MAX)
    throw badParams(`${name} must be a list of at most ${RECIPIENTS_MAX} keys`);
  for (const each of value) managerKey(each, name);
  return value as string[];
}

function managerKey(value: unknown, name: string): Uint8Array {
  try {
    const key = typeof value === 'string' ? fromBase64(value) : EMPTY_BYTES;
    if (key.length === MANAGER_KEY_BYTES) return key;
  } catch {
    // Reported below.
  }
  throw badParams(`${name} must be base64 of ${MANAGER_KEY_BYTES} bytes`);
}

/**
 * `eth_signTransaction` of a private transaction stores no payload: its data must be the hash of a
 * stored payload.
 */
export function checkStoredPayload(request: TransactionRequest): void {
  if (request.kind !== 'private' || request.body.data.length === PAYLOAD_HASH_BYTES) return;
  throw badParams(
    `data of a private transaction that is only signed must be the ${PAYLOAD_HASH_BYTES}-byte hash of its stored payload`,
  );
}

/** For policies: the first four bytes of the data, or as many as there are; undefined: no data. */
export function selectorOf({ data }: RequestBody): string | undefined {
  return data.length === 0 ? undefined : toHex(data.subarray(0, 4));
}
