/**
 * One function of a contract: `contract.name(...)` calls if it is constant, and sends otherwise;
 * `.call`, `.sendTransaction`, ... choose explicitly.
 */
import { decodeParameters, encodeParameters, fullName, typeNames } from './abi.ts';
import type { Contract } from './contract.ts';
import {
  type AbiEntry,
  type ContractParts,
  type EthCalls,
  hexOfText,
  isOptions,
  isPayable,
} from './contract-abi.ts';
import type { Fields } from './formatters.ts';
import { takeCallback } from './method.ts';
import type { Callback, Payload } from './requests.ts';
import { shown } from './signatures.ts';

export class ContractFunction {
  private readonly eth: EthCalls;
  private readonly parts: ContractParts;
  private readonly entry: AbiEntry;
  private readonly address: string;

  constructor(eth: EthCalls, parts: ContractParts, entry: AbiEntry, address: string) {
    this.eth = eth;
    this.parts = parts;
    this.entry = entry;
    this.address = address;
  }

  attachTo(contract: Contract): void {
    const call = (...args: unknown[]): unknown => this.call(defined(args));
    const sendTransaction = (...args: unknown[]): unknown => this.send(defined(args));
    const { name = '', inputs = [] } = this.entry;
    const execute = Object.assign(shown(this.isConstant() ? call : sendTransaction), {
      request: shown((...args: unknown[]) => this.request(args)),
      sendTransaction: shown(sendTransaction),
      estimateGas: shown((...args: unknown[]) => this.estimate(args)),
      getData: shown((...args: unknown[]) => this.payloadOf(args).data),
    });
    // Every function inherits a `call` already; this one is its own.
    Object.defineProperty(execute, 'call', { value: shown(call), enumerable: true });
    contract[name] ??= execute;
    // Overloads are found by their types.
    (contract[name] as Fields)[typeNames(inputs)] = execute;
  }

  private isConstant(): boolean {
    const { constant, stateMutability } = this.entry;
    return constant === true || stateMutability === 'view' || stateMutability === 'pure';
  }

  private call(args: unknown[]): unknown {
    const callback = takeCallback(args);
    const block = this.takeBlock(args);
    const payload = this.payloadOf(args);
    if (!callback) return this.unpacked(this.eth.call(payload, block));
    return this.eth.call(payload, block, (error: unknown, output: unknown) => {
      if (error) return callback(error, null);
      let result: unknown;
      try {
        result = this.unpacked(output);
      } catch (fault) {
        return callback(fault, null);
      }
      callback(null, result);
    });
  }

  private send(args: unknown[]): unknown {
    const callback = takeCallback(args);
    const payload = this.payloadOf(args);
    if (Number(payload.value) > 0 && !isPayable(this.entry)) {
      throw new Error('Cannot send value to non-payable function');
    }
    return this.eth.sendTransaction(payload, ...given(callback));
  }

  private estimate(args: unknown[]): unknown {
    const callback = takeCallback(args);
    return this.eth.estimateGas(this.payloadOf(args), undefined, ...given(callback));
  }

  private request(args: unknown[]): Payload {
    const callback = takeCallback(args);
    return {
      method: this.isConstant() ? 'eth_call' : 'eth_sendTransaction',
      callback,
      params: [this.payloadOf(args)],
      format: (output) => this.unpacked(output),
    };
  }

  private takeBlock(args: unknown[]): unknown {
    const { inputs = [] } = this.entry;
    const isBlock = args.length > inputs.length && !isOptions(args.at(-1));
    return isBlock ? this.parts.formatters.inputDefaultBlockNumberFormatter(args.pop()) : undefined;
  }

  private payloadOf(args: readonly unknown[]): Fields {
    const { name = '', inputs = [] } = this.entry;
    const last = args.at(-1);
    const options: Fields = args.length > inputs.length && isOptions(last) ? last : {};
    const values = options === last ? args.slice(0, -1) : args;
    if (values.length !== inputs.length) {
      throw new Error('Invalid number of arguments to Solidity function');
    }
    options.to = this.address;
    const selector = this.parts.keccak(hexOfText(fullName(name, inputs))).slice(0, 8);
    options.data = `0x${selector}${encodeParameters(inputs, values)}`;
    return options;
  }

  /** A single result itself, several results as a list. */
  private unpacked(output: unknown): unknown {
    if (!output) return undefined;
    const results = decodeParameters(this.entry.outputs ?? [], String(output).slice(2));
    return results.length === 1 ? results[0] : results;
  }
}

const defined = (args: readonly unknown[]): unknown[] => args.filter((each) => each !== undefined);
const given = (callback: Callback | undefined): unknown[] => (callback ? [callback] : []);
