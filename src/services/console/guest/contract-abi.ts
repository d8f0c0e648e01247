/** What contracts, their functions and their events share. */
import type { AbiParameter } from './abi.ts';
import type { Keccak } from './address.ts';
import type { FilterParts } from './filter.ts';
import type { Fields } from './formatters.ts';
import type { Callback } from './requests.ts';

export interface AbiEntry {
  readonly type: string;
  readonly name?: string;
  readonly inputs?: readonly AbiParameter[];
  readonly outputs?: readonly AbiParameter[];
  readonly constant?: boolean;
  readonly payable?: boolean;
  readonly stateMutability?: string;
  readonly anonymous?: boolean;
}

export interface EthCalls extends Record<string, unknown> {
  call(...args: unknown[]): unknown;
  sendTransaction(...args: unknown[]): unknown;
  estimateGas(...args: unknown[]): unknown;
  getTransactionReceipt(hash: unknown, callback: Callback): unknown;
  getPrivateTransactionReceipt?(hash: unknown, callback: Callback): unknown;
  getCode(address: unknown, callback: Callback): unknown;
}

export interface ContractParts extends FilterParts {
  readonly keccak: Keccak;
  readonly warn: (text: string) => void;
}

export function isOptions(value: unknown): value is Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && (value as object).constructor?.name !== 'BigNumber';
}

export function isPayable(entry: AbiEntry | undefined): boolean {
  return entry?.payable === true || entry?.stateMutability === 'payable';
}

/** The hex of a signature, which is ASCII. */
export function hexOfText(text: string): string {
  return Array.from(text, (character) =>
    character.charCodeAt(0).toString(16).padStart(2, '0'),
  ).join('');
}
