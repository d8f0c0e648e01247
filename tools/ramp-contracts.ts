/** Files generated from the ramp's contracts: the collector of deposits, and the devnet's token. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compile, compilerVersion, hexLines } from './solidity.ts';

const SOURCES = resolve(import.meta.dirname, '../contracts');
const SETTINGS = {
  evmVersion: 'istanbul',
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
};
/** The generated file, its source, and the constants for the creation code of its contracts. */
const MADE = [
  {
    file: '../src/core/ramp/deposit-collector-code.ts',
    source: 'DepositCollector',
    codes: { COLLECTOR_CODE: 'DepositCollector', SWEEP_CODE: 'Sweep' },
  },
  {
    file: '../src/services/devnet/demo-token-code.ts',
    source: 'DemoToken',
    codes: { DEMO_TOKEN_CODE: 'DemoToken' },
  },
] as const;

export function rampContractFiles(): [string, string][] {
  return MADE.map(({ file, source, codes }) => {
    const text = readFileSync(resolve(SOURCES, `${source}.sol`), 'utf8');
    const compiled = compile({ [source]: text }, SETTINGS)[source]!;
    const lines = [
      `/** Made from contracts/${source}.sol by \`npm run contracts\`; a test compares the two. */`,
      '',
      `// ${compilerVersion()}`,
      ...Object.entries(codes).flatMap(([constant, name]) => [
        `export const ${constant} = [`,
        ...hexLines(compiled[name]!.evm.bytecode.object),
        "].join('');",
        '',
      ]),
    ];
    return [resolve(import.meta.dirname, file), lines.join('\n')];
  });
}
