/**
 * `eea_*` and `priv_*`: private transactions as EEA clients send and read them (EthSigner
 * EeaPrivateTransaction; Besu's `priv_*`).
 */
import { fromBase64, toBase64 } from '../../../core/base/base64.ts';
import { EMPTY_BYTES, type Hash32 } from '../../../core/base/bytes.ts';
import { fail, QuorateError } from '../../../core/base/errors.ts';
import { toHex, toQuantity } from '../../../core/base/hex.ts';
import { bytesToBigInt } from '../../../core/base/quantity.ts';
import { call, outputOf } from '../../../core/execution/call.ts';
import { eeaGroupAt, nextEeaNonce } from '../../../core/execution/eea-registry.ts';
import { createdBy } from '../../../core/execution/eea-transaction.ts';
import {
  decodeEea,
  EEA_GROUP_BYTES,
  EEA_KEY_BYTES,
  type EeaTransaction,
  openEea,
  partyGroup,
} from '../../../core/privacy/eea.ts';
import { type Param, ParamError, RPC, RpcError } from '../../../io/rpc/method.ts';
import type { EeaSubmitter } from '../node/sending/submitter.ts';
import { firstLogIndex } from '../view/logs.ts';
import type { FoundTransaction } from '../view/party-view.ts';
import { type Context, method } from './context.ts';
import { requestOf, siteOf } from './eth/call.ts';
import { findMarker } from './marker.ts';
import { type JsonObject, renderLog } from './render.ts';
import {
  arrayOf,
  DATA,
  HASH,
  OBJECT,
  orNull,
  QUANTITY,
  RECEIPT,
  TEXT,
  TRANSACTION,
} from './results.ts';
import { address, blockTag, data, hash, named } from './shapes.ts';
import { callArgs } from './transaction-args.ts';

const ENCLAVE = -50100;
const MANAGER = -50200;
/** Error numbers of EEA clients (EthSigner JsonRpcError). */
const NUMBERS: Readonly<Record<string, number>> = {
  EEA_DECODE: ENCLAVE,
  EEA_RESTRICTION: ENCLAVE,
  EEA_VALUE: ENCLAVE,
  EEA_PRIVACY_OFF: ENCLAVE,
  EEA_PRIVATE_FROM: ENCLAVE,
  EEA_NONCE_LOW: ENCLAVE,
  EEA_GROUP_UNKNOWN: ENCLAVE,
  EEA_MANAGER: ENCLAVE,
  EEA_RECIPIENT: MANAGER,
  EEA_GROUP_SELF: MANAGER,
  EEA_CHAIN_ID: RPC.server,
  EEA_KNOWN: RPC.server,
};
const MEMBERS_MAX = 1_024;

/** Runs `work` with errors converted for EEA clients. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const number = error instanceof QuorateError ? NUMBERS[error.code] : undefined;
    if (number === undefined) throw error;
    throw new RpcError(number, (error as QuorateError).message, (error as QuorateError).data);
  }
}

/** Parses base64 of exactly `length` bytes. */
function base64Bytes(value: unknown, length: number): Uint8Array {
  if (typeof value !== 'string') throw new ParamError('it is not base64');
  try {
    const bytes = fromBase64(value);
    if (bytes.length === length) return bytes;
  } catch {
    // Reported below.
  }
  throw new ParamError(`it is not base64 of ${length} bytes`);
}

function keysOf(value: unknown): Uint8Array[] {
  if (!Array.isArray(value) || value.length > MEMBERS_MAX)
    throw new ParamError(`it is not a list of at most ${MEMBERS_MAX} keys`);
  return value.map((each) => base64Bytes(each, EEA_KEY_BYTES));
}

const groupId: Param<Uint8Array> = {
  name: 'privacyGroupId',
  schema: { type: 'string' },
  isOptional: false,
  parse: (value) => base64Bytes(value, EEA_GROUP_BYTES),
};
const managerKey: Param<Uint8Array> = {
  name: 'privateFrom',
  schema: { type: 'string' },
  isOptional: false,
  parse: (value) => base64Bytes(value, EEA_KEY_BYTES),
};
const managerKeys: Param<readonly Uint8Array[]> = {
  name: 'privateFor',
  schema: { type: 'array', items: { type: 'string' } },
  isOptional: false,
  parse: keysOf,
};
const newGroup: Param<{ name: string; description: string; members: string[] }> = {
  name: 'group',
  schema: { type: 'object' },
  isOptional: false,
  parse(value) {
    if (value === null || typeof value !== 'object') throw new ParamError('it is not an object');
    const { addresses, name = '', description = '' } = value as Record<string, unknown>;
    if (typeof name !== 'string' || typeof description !== 'string')
      throw new ParamError('name and description are texts');
    return { name, description, members: keysOf(addresses).map(toBase64) };
  },
};

/** The nonce in the caller's private state at the head. */
function nonceOf({ view }: Context, sender: Uint8Array, group: Uint8Array): string {
  const state = view.stateAt(view.head().number).private;
  return toQuantity(state ? nextEeaNonce(state, sender, group) : 0n);
}

interface Opened {
  readonly marker: FoundTransaction;
  readonly tx: EeaTransaction;
}

/**
 * A marker's content; undefined if the caller is not a party, and for anything but a marker of an
 * EEA transaction.
 */
async function open(context: Context, wanted: Uint8Array): Promise<Opened | undefined> {
  const opened = await findMarker(context, wanted);
  const tx = opened && openEea(opened.payload);
  return tx === undefined || typeof tx === 'string' ? undefined : { marker: opened!.marker, tx };
}

/** Sender and recipients, as they were sent. */
function partiesOf({ privateFrom, privateFor, groupId: group }: EeaTransaction): JsonObject {
  return {
    privateFrom: toBase64(privateFrom),
    ...(privateFor
      ? { privateFor: privateFor.map(toBase64) }
      : { privacyGroupId: toBase64(group) }),
  };
}

function renderPrivate(tx: EeaTransaction): JsonObject {
  return {
    from: toHex(tx.sender),
    gas: toQuantity(tx.gasLimit),
    gasPrice: toQuantity(tx.gasPrice),
    hash: toHex(tx.hash),
    input: toHex(tx.data),
    nonce: toQuantity(tx.nonce),
    to: tx.to ? toHex(tx.to) : null,
    value: toQuantity(tx.value),
    v: toQuantity(tx.v),
    r: toQuantity(tx.r),
    s: toQuantity(tx.s),
    ...partiesOf(tx),
    restriction: tx.restriction,
  };
}

function receiptOf({ view }: Context, { marker, tx }: Opened): JsonObject | null {
  const { block, index } = marker;
  const { number } = block.header;
  // No receipt: the private state has not reached the block, or this node could not execute the
  // transaction.
  const receipt = view.privateRecord(number)?.receipts.get(index);
  if (!receipt) return null;
  const first = firstLogIndex(view, block, view.receipts(number)!, index);
  const markerHash = marker.transaction.hash;
  const place = { hash: block.hash, number, index, baseFeePerGas: undefined };
  const contract = createdBy(tx);
  const account = contract && view.stateAt(number).private?.account(contract);
  const code = account && view.stateAt(number).private!.code(account.codeHash);
  return {
    contractAddress: contract ? toHex(contract) : null,
    from: toHex(tx.sender),
    to: tx.to ? toHex(tx.to) : null,
    output: code ? toHex(code) : '0x',
    commitmentHash: toHex(markerHash),
    transactionHash: toHex(tx.hash),
    ...partiesOf(tx),
    status: toQuantity(receipt.status ?? 1),
    ...(receipt.revertReason ? { revertReason: toHex(receipt.revertReason) } : {}),
    logs: receipt.logs.map((log, i) => renderLog(log, markerHash, place, first + i)),
    logsBloom: toHex(receipt.bloom),
    blockHash: toHex(block.hash),
    blockNumber: toQuantity(number),
    transactionIndex: toQuantity(index),
  };
}

async function submit(eea: EeaSubmitter, raw: Uint8Array): Promise<Hash32> {
  return eea.submit(decoded(raw));
}

function decoded(raw: Uint8Array): EeaTransaction {
  try {
    return decodeEea(raw.length === 0 ? EMPTY_BYTES : raw);
  } catch (cause) {
    throw fail('EEA_DECODE', 'Unable to decode the private signed raw transaction', { cause });
  }
}

export const eeaMethods = [
  method('eea_sendRawTransaction', {
    params: [data],
    result: HASH,
    access: 'send',
    about:
      'Sends a signed EEA private transaction to its group and marks it on the chain; returns the hash of the marker.',
    call: async ({ eea }, [raw]) => toHex(await told(submit(eea, raw))),
  }),
  method('priv_getTransactionCount', {
    params: [address, groupId],
    result: QUANTITY,
    about: 'Next nonce of an account in a privacy group.',
    call: (context, [sender, group]) => nonceOf(context, sender, group),
  }),
  method('priv_getEeaTransactionCount', {
    params: [address, managerKey, managerKeys],
    result: QUANTITY,
    about: 'Next nonce of an account in the group of a sender and their recipients.',
    call: (context, [sender, from, to]) => nonceOf(context, sender, partyGroup([from, ...to])),
  }),
  method('priv_getTransactionReceipt', {
    params: [named('markerHash', hash)],
    result: orNull(RECEIPT),
    about: "Receipt of a marker's EEA private transaction; null for strangers.",
    call: async (context, [wanted]) => {
      const opened = await open(context, wanted);
      return opened ? receiptOf(context, opened) : null;
    },
  }),
  method('priv_getPrivateTransaction', {
    params: [named('markerHash', hash)],
    result: orNull(TRANSACTION),
    about: "A marker's EEA private transaction; null for strangers.",
    call: async (context, [wanted]) => {
      const opened = await open(context, wanted);
      // Without a receipt, no member of the group has executed the payload: it is not shown.
      const isRun = opened && receiptOf(context, opened) !== null;
      return isRun ? renderPrivate(opened.tx) : null;
    },
  }),
  method('priv_call', {
    params: [groupId, callArgs, blockTag],
    result: DATA,
    about: 'Runs a message on a contract of a privacy group without changing it.',
    call: (context, [group, args, tag]) => {
      const site = siteOf(context, tag);
      const isOfGroup =
        args.to !== undefined &&
        site.privateState !== undefined &&
        eeaGroupAt(site.privateState, args.to) === bytesToBigInt(group);
      return isOfGroup ? toHex(outputOf(call(requestOf(args), site, context.callLimits()))) : '0x';
    },
  }),
  method('priv_createPrivacyGroup', {
    params: [newGroup],
    result: TEXT,
    access: 'send',
    about: 'Creates a privacy group of these members; returns its id.',
    call: ({ eea }, [group]) => told(eea.createGroup(group)),
  }),
  method('priv_findPrivacyGroup', {
    params: [named('addresses', managerKeys)],
    result: arrayOf(OBJECT),
    about: 'Privacy groups of exactly these members.',
    call: async ({ eea }, [members]) =>
      (await told(eea.findGroups(members.map(toBase64)))).map(({ id, ...group }) => ({
        privacyGroupId: id,
        ...group,
      })),
  }),
  method('priv_deletePrivacyGroup', {
    params: [groupId],
    result: TEXT,
    access: 'send',
    about: 'Deletes a privacy group at all of its members; returns its id.',
    call: ({ eea }, [group]) => told(eea.deleteGroup(toBase64(group))),
  }),
];
