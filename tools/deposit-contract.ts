/** Files generated from the deposit contract. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compile, compilerVersion, hexLines } from './solidity.ts';

const SOURCE = resolve(import.meta.dirname, '../contracts/DepositContract.sol');
const MADE = resolve(import.meta.dirname, '../src/core/staking/deposit-contract.ts');
const NAME = 'DepositContract';

export function depositContractFiles(): [string, string][] {
  const settings = {
    evmVersion: 'istanbul',
    optimizer: { enabled: true, runs: 10_000 },
    metadata: { appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const contracts = compile({ [NAME]: readFileSync(SOURCE, 'utf8') }, settings);
  const { abi, evm } = contracts[NAME]![NAME]!;
  const text = [
    '/** Made from contracts/DepositContract.sol by `npm run contracts`; a test compares the two. */',
    '',
    `// ${compilerVersion()}`,
    'export const DEPOSIT_CONTRACT_ABI =',
    `  '${JSON.stringify(abi)}';`,
    '',
    'export const DEPOSIT_CONTRACT_CODE = [',
    ...hexLines(evm.bytecode.object),
    "].join('');",
    '',
  ].join('\n');
  return [[MADE, text]];
}
