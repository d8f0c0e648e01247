/**
 * The contracts that every client deploys, compiled from OpenZeppelin's sources with the solc of
 * package.json.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compile } from '../../tools/solidity.ts';

const SOURCES = resolve(import.meta.dirname, 'contracts');
const PACKAGES = resolve(import.meta.dirname, '../../node_modules');

export interface Contract {
  readonly abi: readonly object[];
  /** Hex with 0x. */
  readonly bytecode: string;
}

export type Contracts = Record<'Token' | 'BoxV1' | 'BoxV2' | 'BoxProxy', Contract>;

export function compileContracts(): Contracts {
  const sources = Object.fromEntries(
    readdirSync(SOURCES).map((file) => [file, readFileSync(join(SOURCES, file), 'utf8')]),
  );
  const settings = {
    evmVersion: 'cancun',
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const imported = (path: string) => readFileSync(join(PACKAGES, path), 'utf8');
  const contracts = compile(sources, settings, imported);
  const named = (name: string): Contract => {
    const { abi, evm } = contracts[`${name}.sol`]![name]!;
    return { abi, bytecode: `0x${evm.bytecode.object}` };
  };
  return {
    Token: named('Token'),
    BoxV1: named('BoxV1'),
    BoxV2: named('BoxV2'),
    BoxProxy: named('BoxProxy'),
  };
}
