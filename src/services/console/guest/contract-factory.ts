/** `eth.contract(abi)`: contracts to deploy and to call, as in web3 0.20. */
import { encodeParameters } from './abi.ts';
import { Contract } from './contract.ts';
import {
  type AbiEntry,
  type ContractParts,
  type EthCalls,
  isOptions,
  isPayable,
} from './contract-abi.ts';
import { allEvents, ContractEvent } from './contract-event.ts';
import { ContractFunction } from './contract-function.ts';
import { Filter } from './filter.ts';
import type { Fields } from './formatters.ts';
import { takeCallback } from './method.ts';
import type { Callback } from './requests.ts';
import { shown } from './signatures.ts';

const BLOCKS_MAX = 50;

/** Adds functions and events to a contract, by their names. */
function attach(contract: Contract, eth: EthCalls, parts: ContractParts): void {
  const { abi } = contract;
  const address = contract.address as string;
  for (const entry of abi) {
    if (entry.type === 'function')
      new ContractFunction(eth, parts, entry, address).attachTo(contract);
  }
  const events = abi
    .filter(({ type }) => type === 'event')
    .map((entry) => new ContractEvent(parts, entry, address));
  contract.allEvents = shown((...args: unknown[]) => {
    const callback = takeCallback(args);
    return allEvents(parts, events, address, args[0] as Fields | undefined, callback);
  });
  for (const event of events) event.attachTo(contract);
}

export class ContractFactory {
  eth: EthCalls;
  abi: readonly AbiEntry[];
  new: (...args: unknown[]) => Contract;
  readonly #parts: ContractParts;

  constructor(eth: EthCalls, abi: readonly AbiEntry[], parts: ContractParts) {
    this.eth = eth;
    this.abi = abi;
    this.#parts = parts;
    const getData = shown((...args: unknown[]) => this.getData(...args));
    this.new = Object.assign(
      shown((...args: unknown[]) => this.#deploy(args)),
      { getData },
    );
    shown(this.at, 'address, callback');
    shown(this.getData);
  }

  at(address: unknown, callback?: Callback): Contract {
    const contract = new Contract(this.eth, this.abi, address);
    attach(contract, this.eth, this.#parts);
    callback?.(null, contract);
    return contract;
  }

  /** The code with the constructor's arguments. */
  getData(...args: unknown[]): unknown {
    const options = isOptions(args.at(-1)) ? (args.pop() as Fields) : {};
    return this.#withArguments(options, args).data;
  }

  #deploy(args: unknown[]): Contract {
    const contract = new Contract(this.eth, this.abi);
    const callback = takeCallback(args);
    const options = isOptions(args.at(-1)) ? (args.pop() as Fields) : {};
    if (Number(options.value) > 0 && !isPayable(this.#constructorOf(args))) {
      throw new Error('Cannot send value to non-payable constructor');
    }
    this.#withArguments(options, args);
    if (!callback) {
      contract.transactionHash = this.eth.sendTransaction(options);
      this.#awaitAddress(contract, undefined);
      return contract;
    }
    this.eth.sendTransaction(options, (error: unknown, hash: unknown) => {
      if (error) {
        callback(error);
        return;
      }
      contract.transactionHash = hash;
      callback(null, contract);
      this.#awaitAddress(contract, callback);
    });
    return contract;
  }

  #constructorOf(args: readonly unknown[]): AbiEntry | undefined {
    return this.abi.find(
      ({ type, inputs }) => type === 'constructor' && (inputs ?? []).length === args.length,
    );
  }

  #withArguments(options: Fields, args: readonly unknown[]): Fields {
    const { inputs } = this.#constructorOf(args) ?? {};
    options.data = `${options.data}${inputs ? encodeParameters(inputs, args) : ''}`;
    return options;
  }

  /** Queries the receipt at every block; calls the callback a second time when the code exists. */
  #awaitAddress(contract: Contract, callback: Callback | undefined): void {
    let blocks = 0;
    let isTold = false;
    let filter: Filter | undefined;
    const tell = (error: Error | null): void => {
      isTold = true;
      filter?.stopWatching(() => {});
      if (callback) callback(error, error ? undefined : contract);
      else if (error) throw error;
    };
    const onReceipt: Callback = (_error, found) => {
      if (!found || isTold) return;
      const receipt = this.#ofMarker(contract, found as Fields);
      this.eth.getCode(receipt.contractAddress, (_none, code) => {
        if (isTold || !code) return;
        if (String(code).length <= 3) {
          return tell(
            new Error("The contract code couldn't be stored, please check your gas amount."),
          );
        }
        contract.address = receipt.contractAddress;
        attach(contract, this.eth, this.#parts);
        tell(null);
      });
    };
    filter = new Filter(this.#parts, 'latest', undefined, (error) => {
      if (error || isTold) return;
      blocks++;
      if (blocks > BLOCKS_MAX) {
        return tell(new Error(`Contract transaction couldn't be found after ${BLOCKS_MAX} blocks`));
      }
      this.eth.getTransactionReceipt(contract.transactionHash, onReceipt);
    });
    // The outcome may have come before `filter` was set.
    if (isTold) filter.stopWatching(() => {});
  }

  /** For a marker transaction, only the receipt of the private one has the contract's address. */
  #ofMarker(contract: Contract, receipt: Fields): Fields {
    if (receipt.contractAddress || !receipt.isPrivacyMarkerTransaction) return receipt;
    let inner: Fields | undefined;
    this.eth.getPrivateTransactionReceipt?.(contract.transactionHash, (_error, found) => {
      inner = found as Fields | undefined;
    });
    return inner?.contractAddress ? inner : receipt;
  }
}
