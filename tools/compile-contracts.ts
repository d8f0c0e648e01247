/**
 * Compiles the contracts: `npm run contracts` writes the generated files, and a test compares them
 * with the sources.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { depositContractFiles } from './deposit-contract.ts';
import { permissionContractFiles } from './permission-contracts.ts';
import { rampContractFiles } from './ramp-contracts.ts';

/** The text of each generated file, by path. Throws the compiler's errors. */
export function contractFiles(): ReadonlyMap<string, string> {
  return new Map([...depositContractFiles(), ...permissionContractFiles(), ...rampContractFiles()]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of contractFiles()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
