/**
 * Compiles the EVM's loop, Keccak, powers and BN254: `npm run evm` writes the modules, and a test
 * compares them with their sources.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
interface WasmModule {
  /** Path below assembly/. */
  readonly source: string;
  readonly file: string;
  readonly name: string;
  readonly about: string;
  /** Memory pages of 64 KB. */
  readonly pages: number;
}

export const MODULES: readonly WasmModule[] = [
  {
    source: 'evm/index.ts',
    file: resolve(ROOT, 'src/core/evm/wasm/module.ts'),
    name: 'MODULE',
    about: 'The loop over opcodes, compiled from assembly/evm',
    pages: 100,
  },
  {
    source: 'keccak/index.ts',
    file: resolve(ROOT, 'src/io/crypto/keccak-module.ts'),
    name: 'KECCAK_MODULE',
    about: 'Keccak-256, compiled from assembly/keccak',
    pages: 2,
  },
  {
    source: 'modexp/index.ts',
    file: resolve(ROOT, 'src/io/crypto/modular-power-module.ts'),
    name: 'MODULAR_POWER_MODULE',
    about: 'Powers modulo a number, compiled from assembly/modexp',
    pages: 3,
  },
  {
    source: 'bn254/index.ts',
    file: resolve(ROOT, 'src/io/crypto/bn254-module.ts'),
    name: 'BN254_MODULE',
    about: 'The curve BN254, compiled from assembly/bn254',
    pages: 1,
  },
];
/** A separate package, because the compiler is large and nothing else needs it. */
const FOLDER = resolve(ROOT, 'assembly');
const COMPILER = resolve(FOLDER, 'node_modules/assemblyscript/bin/asc.js');
const OPTIONS = [
  '-O3',
  '--converge',
  '--noAssert',
  ...['--runtime', 'stub'],
  ...['--enable', 'bulk-memory'],
  ...['--enable', 'simd'],
  // The compiler places the source's constants after the addresses of layout.ts.
  ...['--memoryBase', '12288'],
];
const LINE = 96;

/** The text of the file that contains the module. Installs the compiler if it is missing. */
export function moduleText({ source, name, about, pages }: WasmModule): string {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-evm-'));
  try {
    const out = join(folder, 'module.wasm');
    if (!existsSync(COMPILER)) {
      execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: 'ignore' });
    }
    const options = ['--outFile', out, ...OPTIONS, '--initialMemory', String(pages)];
    execFileSync(process.execPath, [COMPILER, source, ...options], { cwd: FOLDER });
    const text = readFileSync(out).toString('base64');
    const lines = text.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
    return `/** ${about} by \`npm run evm\`; base64. */\nexport const ${name}: string = [\n${lines
      .map((line) => `  '${line}',`)
      .join('\n')}\n].join('');\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const each of MODULES) writeFileSync(each.file, moduleText(each));
}
