/** Compiles the contracts: `npm run contracts` writes what a test compares with the source. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { depositContractFiles } from './deposit-contract.ts';
import { permissionContractFiles } from './permission-contracts.ts';
import { rampContractFiles } from './ramp-contracts.ts';

/** Text of each file that is made, by its path. Throws what the compiler says against a source. */
export function contractFiles(): ReadonlyMap<string, string> {
  return new Map([...depositContractFiles(), ...permissionContractFiles(), ...rampContractFiles()]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of contractFiles()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
