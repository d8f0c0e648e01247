/** Compiles the contracts: `npm run contracts` writes what a test compares with the source. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, compilerVersion } from './solidity.ts';

const SOURCE = resolve(import.meta.dirname, '../contracts/DepositContract.sol');
export const MADE = resolve(import.meta.dirname, '../src/core/staking/deposit-contract.ts');
const NAME = 'DepositContract';
const LINE_CHARACTERS = 96;

/** The text of the module that holds the contract. Throws what the compiler says against the source. */
export function depositContractModule(): string {
  const settings = {
    evmVersion: 'istanbul',
    optimizer: { enabled: true, runs: 10_000 },
    metadata: { appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const contracts = compile({ [NAME]: readFileSync(SOURCE, 'utf8') }, settings);
  const { abi, evm } = contracts[NAME]![NAME]!;
  const code = `0x${evm.bytecode.object}`.match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g'))!;
  return [
    '/** Made from contracts/DepositContract.sol by `npm run contracts`; a test compares the two. */',
    '',
    `// ${compilerVersion()}`,
    'export const DEPOSIT_CONTRACT_ABI =',
    `  '${JSON.stringify(abi)}';`,
    '',
    'export const DEPOSIT_CONTRACT_CODE = [',
    ...code.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(MADE, depositContractModule());
