/** The argument object of `eth_sendTransaction`, `eth_call` and their kin (privacy dossier §2.1). */
import type { AccessListEntry } from '../../../core/chain/transaction.ts';
import { type Param, ParamError } from '../../../io/rpc/method.ts';
import type { PrivateArgs, TransactionArgs } from '../node/send-desk.ts';
import { fieldQuantity, fixedBytes, hexBytes } from './shapes.ts';

type Fields = Record<string, unknown>;

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
        chainId: amount('chainId', '*hexutil.Big'),
        private: parsePrivate(given),
      };
    },
  };
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
    ...['accessList', 'chainId', 'privateFrom', 'privateFor', 'privacyFlag', 'mandatoryFor'],
  ].map((name) => [name, {}]),
);

export const sendArgs: Param<TransactionArgs> = argsParam('SendTxArgs');
export const callArgs: Param<TransactionArgs> = argsParam('CallArgs');

/** Second argument of `eth_sendRawPrivateTransaction`; undefined without `privateFor`. */
export const privateArgs: Param<PrivateArgs | undefined> = {
  name: 'privateData',
  schema: {
    type: 'object',
    properties: { privateFor: {}, privateFrom: {}, privacyFlag: {}, mandatoryFor: {} },
  },
  isOptional: false,
  parse: (value) => parsePrivate(objectOf(value, 'Go value of type ethapi.SendRawTxArgs')),
};

function objectOf(value: unknown, into: string): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ParamError(
      `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into ${into}`,
    );
  }
  return value as Fields;
}

/** Presence of `privateFor` decides: [] is private too, with the sender as the only party. */
function parsePrivate(given: Fields): PrivateArgs | undefined {
  if (given.privateFor === undefined || given.privateFor === null) return undefined;
  const flag = given.privacyFlag ?? 0;
  if (typeof flag !== 'number' || !Number.isInteger(flag)) {
    throw new ParamError(
      'json: cannot unmarshal value into Go struct field SendTxArgs.privacyFlag of type engine.PrivacyFlagType',
    );
  }
  const privateFrom = given.privateFrom ?? undefined;
  if (privateFrom !== undefined && typeof privateFrom !== 'string')
    throw notStrings('privateFrom', 'string');
  return {
    privateFrom: privateFrom === '' ? undefined : privateFrom,
    privateFor: strings(given.privateFor, 'privateFor'),
    flag,
    mandatoryFor:
      given.mandatoryFor === undefined || given.mandatoryFor === null
        ? undefined
        : strings(given.mandatoryFor, 'mandatoryFor'),
  };
}

function strings(value: unknown, name: string): string[] {
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw notStrings(name, '[]string');
  return value as string[];
}

function notStrings(name: string, type: string): ParamError {
  return new ParamError(
    `json: cannot unmarshal value into Go struct field SendTxArgs.${name} of type ${type}`,
  );
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
