/**
 * Bundles the pages into dist/web: one script and one stylesheet per page, with the page's name.
 */
import { resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = { widget: 'ramp/widget', operator: 'ramp/operator', explorer: 'explorer' };

await build({
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
});
