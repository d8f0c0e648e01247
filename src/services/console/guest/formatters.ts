/**
 * Converts between the values of scripts and those of JSON-RPC. Like web3 0.20, it changes the
 * given objects.
 */
import type { Addresses } from './address.ts';
import { fromDecimal, toBigNumber, toDecimal } from './number.ts';
import { toHex } from './text.ts';

export type Fields = Record<string, unknown>;
export type Formatter = (value: unknown) => unknown;

export interface Defaults {
  defaultBlock: unknown;
  defaultAccount: unknown;
}

export type Formatters = ReturnType<typeof formattersOf>;

const QUANTITIES = ['gasPrice', 'gas', 'value', 'nonce'];

const inputBlock: Formatter = (value) => {
  if (value === undefined) return undefined;
  return ['latest', 'pending', 'earliest'].includes(value as string) ? value : toHex(value);
};

/** Formats the fields that exist and are not null. */
function change(fields: Fields, names: readonly string[], format: Formatter): void {
  for (const name of names) if (fields[name] != null) fields[name] = format(fields[name]);
}

const outputTransaction: Formatter = (value) => {
  const transaction = value as Fields;
  change(transaction, ['blockNumber', 'transactionIndex', 'nonce', 'gas'], toDecimal);
  for (const name of ['gasPrice', 'value']) transaction[name] = toBigNumber(transaction[name]);
  return transaction;
};

const outputLog: Formatter = (value) => {
  const log = value as Fields;
  change(log, ['blockNumber', 'transactionIndex', 'logIndex'], toDecimal);
  return log;
};

const outputReceipt: Formatter = (value) => {
  const receipt = value as Fields;
  const numbers = ['blockNumber', 'transactionIndex', 'cumulativeGasUsed', 'gasUsed'];
  change(receipt, numbers, toDecimal);
  if (Array.isArray(receipt.logs)) receipt.logs = receipt.logs.map(outputLog);
  return receipt;
};

const outputBlock: Formatter = (value) => {
  const block = value as Fields;
  change(block, ['gasLimit', 'gasUsed', 'size', 'timestamp', 'number'], toDecimal);
  for (const name of ['difficulty', 'totalDifficulty']) block[name] = toBigNumber(block[name]);
  const { transactions } = block;
  if (!Array.isArray(transactions)) return block;
  for (const each of transactions) if (typeof each !== 'string') outputTransaction(each);
  return block;
};

const outputSyncing: Formatter = (value) => {
  if (!value) return value;
  const names = ['startingBlock', 'currentBlock', 'highestBlock', 'knownStates', 'pulledStates'];
  change(value as Fields, names, toDecimal);
  return value;
};

export function formattersOf(addresses: Addresses, defaults: Defaults) {
  const withQuantities = (options: Fields): Fields => {
    if (options.to) options.to = addresses.input(options.to);
    for (const name of QUANTITIES) {
      if (options[name] !== undefined) options[name] = fromDecimal(options[name]);
    }
    return options;
  };
  return {
    inputDefaultBlockNumberFormatter: (value: unknown) =>
      inputBlock(value === undefined ? defaults.defaultBlock : value),
    inputBlockNumberFormatter: inputBlock,
    inputAddressFormatter: addresses.input,
    inputCallFormatter(value: unknown) {
      const options = value as Fields;
      const from = options.from || defaults.defaultAccount;
      if (from) options.from = addresses.input(from);
      return withQuantities(options);
    },
    inputTransactionFormatter(value: unknown) {
      const options = value as Fields;
      options.from = addresses.input(options.from || defaults.defaultAccount);
      return withQuantities(options);
    },
    outputBigNumberFormatter: toBigNumber as Formatter,
    outputTransactionFormatter: outputTransaction,
    outputTransactionReceiptFormatter: outputReceipt,
    outputBlockFormatter: outputBlock,
    outputLogFormatter: outputLog,
    outputSyncingFormatter: outputSyncing,
  };
}
