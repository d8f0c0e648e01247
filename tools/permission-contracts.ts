/**
 * Files generated from the permission contracts: their ABI for users, and their code for `quorate
 * permission init`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Compiled, compile, compilerVersion, hexLines } from './solidity.ts';

const SOURCES = resolve(import.meta.dirname, '../contracts/permission');
const CODE = resolve(import.meta.dirname, '../src/services/permission/code');
const SETTINGS = {
  // The oldest fork on which GoQuorum chains may still run.
  evmVersion: 'byzantium',
  // Keeps every contract below 24,576 bytes, the limit of chains without a larger maxCodeSize.
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
};

type Abi = readonly object[];

export function permissionContractFiles(): [string, string][] {
  const contracts = compileAll();
  const code = contracts.map(({ file, name, compiled }): [string, string] => [
    resolve(CODE, `${kebab(name)}${modelOf(file).replace(/^./, '-$&')}.ts`),
    moduleText(file, compiled),
  ]);
  const abi = ['v1', 'v2'].map((model): [string, string] => {
    const own = contracts.filter(({ file }) => ['', model].includes(modelOf(file)));
    const entries = own.map(({ name, compiled }) => [name, compiled.abi] as const);
    return [resolve(SOURCES, `abi-${model}.json`), abiText(entries)];
  });
  return [...code, ...abi];
}

/** Compiles the contracts that can be deployed. */
function compileAll() {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.sol')).sort();
  const texts = files.map((file) => [file, readFileSync(resolve(SOURCES, file), 'utf8')]);
  const compiled = compile(Object.fromEntries(texts), SETTINGS);
  return files.flatMap((file) => {
    const name = basename(file, '.sol');
    const one = compiled[file]?.[name];
    return one && one.evm.bytecode.object !== '' ? [{ file, name, compiled: one }] : [];
  });
}

/** Empty: the contract is the same in both models. */
function modelOf(file: string): string {
  return file.includes('/') ? file.split('/')[0]! : '';
}

function kebab(name: string): string {
  return name.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase();
}

function moduleText(file: string, { evm }: Compiled): string {
  return [
    `/** Made from contracts/permission/${file} by \`npm run contracts\`; a test compares the two. */`,
    '',
    `// ${compilerVersion()}`,
    'export const CODE = [',
    ...hexLines(evm.bytecode.object),
    "].join('');",
    '',
  ].join('\n');
}

/** One line for each function and event. */
function abiText(entries: readonly (readonly [string, Abi])[]): string {
  const contracts = entries.map(([name, abi]) => {
    const lines = abi.map((each) => `    ${JSON.stringify(each)}`);
    return `  ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`;
  });
  return `{\n${contracts.join(',\n')}\n}\n`;
}
