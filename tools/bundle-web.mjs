/**
 * Bundles the pages into dist/web: one script and one stylesheet per page, with the page's name, and
 * each of them compressed: a server would need a quarter of a second of its start for that.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = { widget: 'ramp/widget', operator: 'ramp/operator', explorer: 'explorer' };

const { outputFiles } = await build({
  entryPoints: Object.fromEntries(
    Object.entries(PAGES).map(([name, folder]) => [
      name,
      resolve(ROOT, 'src/web', folder, 'main.tsx'),
    ]),
  ),
  outdir: resolve(ROOT, 'dist/web'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
  write: false,
});

for (const { path, contents } of outputFiles) {
  const held = await readFile(path).catch(() => undefined);
  if (held?.equals(contents) && existsSync(`${path}.br`)) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.br`, brotliCompressSync(contents));
  await writeFile(path, contents);
}
