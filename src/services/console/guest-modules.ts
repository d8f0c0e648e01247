/**
 * Loads the console's own scripts into the context of the user's scripts: CommonJS modules of the
 * build, from one folder.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Context, Script } from 'node:vm';
import { builtModule } from '../../io/threads/module-file.ts';
import type { start } from './guest/main.ts';

const FOLDER = builtModule(new URL('./guest/', import.meta.url));
/** Packages that the console's scripts import. */
const PACKAGES = ['bignumber.js'];

interface Module {
  exports: Record<string, unknown>;
}

/** The entry function of those modules, created inside the context. */
export function loadGuest(context: Context): typeof start {
  const loaded = new Map<string, Module>();
  const load = (name: string): unknown => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const text = readFileSync(fileOf(name), 'utf8');
    // A wrapper like that of Node, so that all objects of the module belong to the context.
    const wrapper = new Script(`(function (exports, require, module) {${text}\n})`, {
      filename: `console:${name}`,
    });
    const run = wrapper.runInContext(context) as (...args: unknown[]) => void;
    const module = new Script('({ exports: {} })').runInContext(context) as Module;
    loaded.set(name, module);
    run(module.exports, load, module);
    return module.exports;
  };
  return (load('./main.js') as { start: typeof start }).start;
}

function fileOf(name: string): string {
  if (PACKAGES.includes(name)) return createRequire(import.meta.url).resolve(name);
  return fileURLToPath(new URL(name, FOLDER));
}
