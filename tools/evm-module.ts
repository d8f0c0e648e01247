/**
 * Compiles the EVM's loop: `npm run evm` writes the module that a test compares with its source.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
export const MODULE_FILE: string = resolve(ROOT, 'src/core/evm/wasm/module.ts');
/** With a package of its own: the compiler is large, and nothing else needs it. */
const FOLDER = resolve(ROOT, 'assembly');
const COMPILER = resolve(FOLDER, 'node_modules/assemblyscript/bin/asc.js');
const OPTIONS = [
  '-O3',
  '--converge',
  '--noAssert',
  ...['--runtime', 'stub'],
  ...['--enable', 'bulk-memory'],
  // Constants of the source lie above the addresses that layout.ts gives to the loop's own tables.
  ...['--memoryBase', '12288'],
  ...['--initialMemory', '100'],
];
const LINE = 96;

/** Text of the file that holds the module. Installs the compiler where it is not there. */
export function moduleText(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-evm-'));
  try {
    const out = join(folder, 'evm.wasm');
    if (!existsSync(COMPILER)) {
      execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: 'ignore' });
    }
    const options = ['--outFile', out, ...OPTIONS];
    execFileSync(process.execPath, [COMPILER, 'evm/index.ts', ...options], { cwd: FOLDER });
    const text = readFileSync(out).toString('base64');
    const lines = text.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
    return `/** The loop over opcodes, compiled from assembly/evm by \`npm run evm\`; base64. */\nexport const MODULE: string = [\n${lines
      .map((line) => `  '${line}',`)
      .join('\n')}\n].join('');\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(MODULE_FILE, moduleText());
