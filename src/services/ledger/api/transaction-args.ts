/**
 * The argument object of `eth_sendTransaction`, `eth_call` and similar methods (GoQuorum
 * internal/ethapi/api.go).
 */
import type { AccessListEntry } from '../../../core/chain/transaction.ts';
import { type Param, ParamError } from '../../../io/rpc/method.ts';
import type { PrivateArgs, TransactionArgs } from '../node/sending/send-args.ts';
import { fieldQuantity, fixedBytes, hexBytes } from './shapes.ts';

type Fields = Record<string, unknown>;

const SEND_ARGS = 'SendTxArgs';
const RAW_ARGS = 'SendRawTxArgs';

/** Go names the structure in its errors: `CallArgs` for calls, `SendTxArgs` for sends. */
function argsParam(structure: string): Param<TransactionArgs> {
  const field = (name: string, type: string) =>
    `Go struct field ${structure}.${name} of type ${type}`;
  return {
    name: 'transaction',
    schema: { type: 'object', properties: TRANSACTION_PROPERTIES },
    isOptional: false,
    parse(value) {
      const given = objectOf(value, `Go value of type ethapi.${structure}`);
      const read = <T>(name: string, parse: (each: unknown) => T): T | undefined =>
        given[name] === undefined || given[name] === null ? undefined : parse(given[name]);
      const who = (name: string) =>
        read(name, (each) => fixedBytes(each, 20, 'common.Address', field(name, 'common.Address')));
      const amount = (name: string, type: string) =>
        read(name, (each) => fieldQuantity(each, field(name, type)));
      const bytes = (name: string) =>
        read(name, (each) => hexBytes(each, field(name, 'hexutil.Bytes')));
      for (const [name, type] of Object.entries(NEWER_MEMBERS))
        if (hasContent(given[name])) throw unsupported(`${name} is of ${type}`);
      return {
        from: who('from'),
        to: who('to'),
        gas: amount('gas', 'hexutil.Uint64'),
        gasPrice: amount('gasPrice', '*hexutil.Big'),
        maxFeePerGas: amount('maxFeePerGas', '*hexutil.Big'),
        maxPriorityFeePerGas: amount('maxPriorityFeePerGas', '*hexutil.Big'),
        value: amount('value', '*hexutil.Big'),
        nonce: amount('nonce', 'hexutil.Uint64'),
        data: bytes('data'),
        input: bytes('input'),
        accessList: read('accessList', (each) =>
          parseAccessList(each, field('accessList', 'types.AccessList')),
        ),
        type: read('type', (each) => knownType(each, field('type', 'hexutil.Uint64'))),
        chainId: amount('chainId', '*hexutil.Big'),
        private: structure === SEND_ARGS ? parsePrivate(given, structure) : undefined,
      };
    },
  };
}

/** Ignoring these members would create a different transaction from the one intended. */
const NEWER_MEMBERS: Readonly<Record<string, string>> = {
  authorizationList: 'type 4 (EIP-7702)',
  blobVersionedHashes: 'type 3 (EIP-4844)',
  blobs: 'type 3 (EIP-4844)',
  maxFeePerBlobGas: 'type 3 (EIP-4844)',
};

/** An empty list has no effect, and neither has a blob fee of 0. */
function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === '0x0') return false;
  return !(Array.isArray(value) && value.length === 0);
}

function knownType(value: unknown, into: string): 0 | 1 | 2 {
  const type = Number(fieldQuantity(value, into));
  if (type === 0 || type === 1 || type === 2) return type;
  throw unsupported(`it is ${type}`);
}

function unsupported(what: string): ParamError {
  return new ParamError(`transaction type not supported: ${what}, supported are types 0, 1 and 2`);
}

const TRANSACTION_PROPERTIES = Object.fromEntries(
  [
    ...[
      'from',
      'to',
      'gas',
      'gasPrice',
      'maxFeePerGas',
      'maxPriorityFeePerGas',
      'value',
      'nonce',
      'data',
      'input',
    ],
    ...[
      'accessList',
      'type',
      'chainId',
      'privateFrom',
      'privateFor',
      'privacyFlag',
      'mandatoryFor',
    ],
  ].map((name) => [name, {}]),
);

export const sendArgs: Param<TransactionArgs> = argsParam(SEND_ARGS);
/** Arguments of an action on the network's permissions. */
export interface ActionArgs {
  readonly args: TransactionArgs;
  /** Answer only after the transaction is in a block, with its outcome. */
  readonly isWaiting: boolean;
}

/** The fields of a transaction, and `wait`. */
export const actionArgs: Param<ActionArgs> = {
  ...sendArgs,
  schema: { type: 'object', properties: { ...TRANSACTION_PROPERTIES, wait: { type: 'boolean' } } },
  parse(value) {
    const given = value ?? {};
    const { wait = false } = given as Fields;
    if (typeof wait !== 'boolean')
      throw unmarshals(wait, `Go struct field ${SEND_ARGS}.wait of type bool`);
    return { args: sendArgs.parse(given), isWaiting: wait };
  },
};

export const callArgs: Param<TransactionArgs> = argsParam('CallArgs');

/** Second argument of `eth_sendRawPrivateTransaction`; undefined without `privateFor`. */
export const privateArgs: Param<PrivateArgs | undefined> = {
  name: 'privateData',
  schema: {
    type: 'object',
    properties: { privateFor: {}, privateFrom: {}, privacyFlag: {}, mandatoryFor: {} },
  },
  isOptional: false,
  parse: (value) => parsePrivate(objectOf(value, `Go value of type ethapi.${RAW_ARGS}`), RAW_ARGS),
};

function objectOf(value: unknown, into: string): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ParamError(
      `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into ${into}`,
    );
  }
  return value as Fields;
}

/** `privateFor` makes a transaction private: even [], with the sender as the only party. */
function parsePrivate(given: Fields, structure: string): PrivateArgs | undefined {
  const field = (name: string, type: string) =>
    `Go struct field ${structure}.PrivateTxArgs.${name} of type ${type}`;
  const strings = (name: string): string[] | undefined => {
    const value = given[name];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) throw unmarshals(value, field(name, '[]string'));
    const wrong = value.find((each) => typeof each !== 'string');
    if (wrong !== undefined) throw unmarshals(wrong, field(name, 'string'));
    return value;
  };
  const privateFor = strings('privateFor');
  if (!privateFor) return undefined;
  const flag = given.privacyFlag ?? 0;
  if (typeof flag !== 'number' || !Number.isInteger(flag) || flag < 0)
    throw unmarshals(flag, field('privacyFlag', 'engine.PrivacyFlagType'));
  const privateFrom = given.privateFrom ?? '';
  if (typeof privateFrom !== 'string')
    throw unmarshals(privateFrom, field('privateFrom', 'string'));
  return {
    privateFrom: privateFrom === '' ? undefined : privateFrom,
    privateFor,
    flag,
    mandatoryFor: strings('mandatoryFor'),
  };
}

/** An error with the text of Go's JSON package. */
function unmarshals(value: unknown, into: string): ParamError {
  const isFlag = typeof value === 'number' && into.includes('Flag');
  return new ParamError(
    `json: cannot unmarshal ${isFlag ? `number ${value}` : kindOf(value)} into ${into}`,
  );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function parseAccessList(value: unknown, into: string): AccessListEntry[] {
  if (!Array.isArray(value))
    throw new ParamError(`json: cannot unmarshal ${typeof value} into ${into}`);
  return value.map((entry) => {
    const { address, storageKeys } = objectOf(entry, into);
    return {
      address: fixedBytes(address, 20, 'common.Address'),
      slots: Array.isArray(storageKeys)
        ? storageKeys.map((key) => fixedBytes(key, 32, 'common.Hash'))
        : [],
    };
  });
}
