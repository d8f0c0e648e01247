/**
 * Bundles the command and the modules of its threads and child processes into dist/bundle: a
 * process loads a few files in place of some hundred, and starts in a third of the time. Packages
 * with a compiled part but lmdb, and optional packages, are not bundled.
 */
import { statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { chunkScript } from './chunk-script.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCE = resolve(ROOT, 'src');
const TARGET = resolve(ROOT, 'dist/bundle');
/** Its modification time is the time of the last bundle. */
const STAMP = '.made';
const PROGRAM = 'cli/main.ts';
/** Entry points of processes and threads; `builtModule` of io/threads finds them. */
const PROCESSES = [PROGRAM, 'io/storage/index-probe.ts'];
const THREAD = /-worker\.ts$/;
/** This thread starts with each node, so it has one file, which shares nothing with the others. */
const ALONE = /agreement-worker\.ts$/;
const OUTSIDE = [
  '@aws-sdk/*',
  '@azure/*',
  '@jitl/quickjs-wasmfile-release-sync',
  '@photostructure/sqlite',
  'big-integer',
  'classic-level',
  'google-auth-library',
  'libsodium-wrappers',
  'mcl-wasm',
  'node-forge',
  'pg-native',
  'pkcs11js',
  'quickjs-emscripten-core',
  'secp256k1',
  'stripe',
];
/** Runs the chunks; each entry point is a file that names its chunk. */
const LOADER = 'io/bundle/main.ts';
/** A line of its own, for the beginning of the script. */
const BANNER = '//';
const ALIASES = {
  // Its ES module, so that unused parts are dropped.
  'hash-wasm': 'hash-wasm/dist/index.esm.js',
  // A package in CommonJS needs it: as an ES module, its values would exist after it has run only.
  '@opentelemetry/api': resolve(ROOT, 'node_modules/@opentelemetry/api/build/src/index.js'),
};
const OPTIONS = {
  outbase: SOURCE,
  outdir: TARGET,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // A shorter text compiles faster. Names stay, for stack traces and for errors recognised by
  // their name.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
};

/**
 * Our modules find files relative to the place where tsc puts them, wherever the bundled code is.
 */
const ownAddresses = {
  name: 'own-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(SOURCE)) return undefined;
      const file = relative(SOURCE, path).replace(/\.ts$/, '.js');
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.url', `(__dist + '${file}')`)
        .replaceAll('import.meta.dirname', `__fileURLToPath(new URL('.', __dist + '${file}'))`);
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * lmdb's code is in the bundle, and finds its compiled part from where the package is. Of what it
 * loads, msgpackr takes half of the time, and is only for values in that format: ours are bytes.
 */
const LMDB = resolve(ROOT, 'node_modules/lmdb/dist/index.cjs');
const ownLmdb = {
  name: 'own-lmdb',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^lmdb$/ }, ({ kind, path }) =>
      kind === 'require-resolve' ? { path, external: true } : { path: LMDB },
    );
    onResolve({ filter: /^msgpackr$/ }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: '' }));
    onLoad({ filter: /lmdb.dist.index\.cjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll('__filename', "require.resolve('lmdb')"), loader: 'js' };
    });
  },
};

const files = await readdir(SOURCE, { recursive: true });
if (!isUpToDate()) await write(await bundle());

/** Whether the last bundle is newer than all its inputs. */
function isUpToDate() {
  const made = modified(resolve(TARGET, STAMP));
  const sources = files.filter((file) => file.endsWith('.ts')).map((file) => resolve(SOURCE, file));
  const others = ['package-lock.json', 'tools/bundle.mjs', 'tools/chunk-script.mjs'].map((file) =>
    resolve(ROOT, file),
  );
  return [...sources, ...others].every((file) => modified(file) < made);
}

/** 0: the file does not exist. */
function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function bundle() {
  const threads = files.filter((file) => THREAD.test(file));
  const alone = threads.filter((file) => ALONE.test(file));
  const others = [...PROCESSES, ...threads.filter((file) => !ALONE.test(file))];
  const bundles = await Promise.all([bundleOf(others), bundleOf(alone), loader()]);
  // Two may have the same chunk.
  return [...new Map(bundles.flat().map((output) => [output.path, output])).values()];
}

async function loader() {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [resolve(SOURCE, LOADER)] });
  return outputFiles;
}

/** Scripts of chunks, and for each entry point a module that runs its chunk. */
async function bundleOf(entries) {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: entries.map((path) => resolve(SOURCE, path)),
    entryNames: 'chunks/[name]-[hash]',
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    metafile: true,
    banner: { js: BANNER },
    external: OUTSIDE,
    alias: ALIASES,
    define: { 'globalThis.quorateIsBundled': 'true' },
    plugins: [ownAddresses, ownLmdb],
  });
  return outputFiles.flatMap(({ path, contents, text }) => {
    const made = metafile.outputs[relative(process.cwd(), path.replace(/\.map$/, ''))];
    // Of code of packages alone, nobody needs the lines.
    const hasMap = Object.keys(made.inputs).some((file) => file.startsWith('src/'));
    if (path.endsWith('.map')) return hasMap ? [{ path, contents: Buffer.from(contents) }] : [];
    const { entryPoint } = made;
    const mapped = hasMap ? text : text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const script = chunkScript(mapped, entryPoint !== undefined);
    const chunk = { path, contents: Buffer.from(script) };
    return entryPoint === undefined ? [chunk] : [chunk, starterOf(entryPoint, path)];
  });
}

/** The module that node is started with. */
function starterOf(entryPoint, chunk) {
  const path = resolve(TARGET, relative(SOURCE, resolve(entryPoint)).replace(/\.ts$/, '.js'));
  const loader = relative(dirname(path), resolve(TARGET, LOADER)).replace(/\.ts$/, '.js');
  const lines = [
    ...(entryPoint.endsWith(PROGRAM) ? ['#!/usr/bin/env node'] : []),
    `import{run}from"${loader}";await run("${basename(chunk)}",process.env);`,
  ];
  return { path, contents: Buffer.from(`${lines.join('\n')}\n`) };
}

/** Does not touch unchanged files: other processes may be reading them. */
async function write(outputs) {
  const wanted = new Set([resolve(TARGET, STAMP), ...outputs.map(({ path }) => path)]);
  // Chunks before the entry points that import them.
  for (const { path, contents } of outputs.sort((a, b) => chunksFirst(a.path, b.path))) {
    const held = await readFile(path).catch(() => undefined);
    if (held?.equals(contents)) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, contents);
    await rename(`${path}.new`, path);
  }
  for (const file of await readdir(TARGET, { recursive: true, withFileTypes: true })) {
    const path = resolve(file.parentPath, file.name);
    if (file.isFile() && !wanted.has(path)) await rm(path);
  }
  await writeFile(resolve(TARGET, STAMP), '');
}

function chunksFirst(a, b) {
  return Number(b.includes('/chunks/')) - Number(a.includes('/chunks/'));
}
