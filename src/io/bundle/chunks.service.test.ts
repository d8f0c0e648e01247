import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chunkScript } from '../../../tools/chunk-script.mjs';
import { Chunks, type KeptCode } from './chunks.ts';
import type { Piece } from './pieces.ts';

class Memory implements KeptCode {
  readonly groups = new Map<string, ReadonlyMap<string, Piece>>();
  writes = 0;

  read(group: string): ReadonlyMap<string, Piece> {
    return this.groups.get(group) ?? new Map();
  }

  write(group: string, pieces: ReadonlyMap<string, Piece>): void {
    this.writes++;
    this.groups.set(group, pieces);
  }
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-chunks-'));
  mkdirSync(join(folder, 'chunks'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const address = () => pathToFileURL(`${folder}/`);

function write(name: string, text: string, mayWait = false): void {
  writeFileSync(join(folder, 'chunks', name), chunkScript(`//\n${text}`, mayWait));
}

/** What a new process with this code gets. */
async function loaded(name: string, code: KeptCode): Promise<Record<string, unknown>> {
  const chunks = new Chunks(address(), code);
  const values = await chunks.load(name);
  await chunks.keep();
  return values;
}

it('a chunk runs once, after those it imports', async () => {
  write('shared.js', 'var runs=0;runs++;var list=[runs];export{list};');
  write('a.js', 'import{list as l}from"./shared.js";l.push("a");var a=l;export{a};');
  write(
    'main.js',
    'import{a}from"./a.js";import{list}from"./shared.js";list.push(await "main");export{a as b};',
    true,
  );
  expect(await loaded('main.js', new Memory())).toEqual({ b: [1, 'a', 'main'] });
});

it('what is imported on demand is loaded then', async () => {
  write('late.js', 'var late={};export{late as default};');
  write('main.js', 'var late=()=>import("./late.js");export{late};');
  const { late } = (await loaded('main.js', new Memory())) as { late(): Promise<object> };
  expect(await late()).toBe(await late());
});

it('another text is compiled, even one of the same length', async () => {
  const code = new Memory();
  write('main.js', 'var f=()=>1;export{f};');
  await loaded('main.js', code);
  write('main.js', 'var f=()=>2;export{f};');
  expect((await loaded('main.js', code)).f).toSatisfy((f: () => number) => f() === 2);
  expect(code.writes).toBe(2);
});

it('keeps nothing when the flags have changed since the load: V8 would refuse it', async () => {
  const code = new Memory();
  write('main.js', 'var f=()=>1;export{f};');
  const chunks = new Chunks(address(), code);
  await chunks.load('main.js');
  setFlagsFromString('--stack-size=900');
  try {
    await chunks.keep();
  } finally {
    setFlagsFromString('--stack-size=984');
  }
  expect(code.writes).toBe(0);
});

it('an error of a chunk is that of the load, and comes again', async () => {
  write('bad.js', 'throw new Error("no compiled part");');
  write('main.js', 'import"./bad.js";');
  const chunks = new Chunks(address(), new Memory());
  for (const _ of [1, 2]) await expect(chunks.load('main.js')).rejects.toThrow('no compiled part');
});

/** Standard output and error of a process that loads main.js, and then prints what it keeps. */
async function inProcess(...flags: string[]): Promise<{ stdout: string; stderr: string }> {
  // tsx sets it.
  const isMapped = flags.includes('--enable-source-maps');
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    import { Chunks } from ${module('./chunks.ts')};
    import { CodeFolder } from ${module('./code-folder.ts')};
    process.setSourceMapsEnabled(${isMapped});
    const folder = new CodeFolder([${JSON.stringify(join(folder, 'compiled'))}]);
    const write = (group, pieces) => {
      console.log('kept', ...pieces.keys());
      folder.write(group, pieces);
    };
    const code = { read: (group) => folder.read(group), write };
    const chunks = new Chunks(new URL(${JSON.stringify(address().href)}), code);
    await chunks.load('main.js');
    await chunks.keep();`;
  const args = ['--import', 'tsx', ...flags, '--input-type=module', '-e', script];
  return promisify(execFile)(process.execPath, args);
}

it('a process takes up what an earlier one had compiled, of the same build', async () => {
  write('shared.js', 'var f=()=>1;export{f};');
  write('main.js', 'import{f}from"./shared.js";f();export{f};');
  const kept = { stdout: 'kept main.js shared.js\n', stderr: '' };
  const nothing = { stdout: '', stderr: '' };
  expect(await inProcess()).toEqual(kept);
  expect(await inProcess()).toEqual(nothing);
  expect(await inProcess('--stack-size=900')).toEqual(kept);
  expect(await inProcess()).toEqual(nothing);
  write('main.js', 'import{f}from"./shared.js";f( );export{f};');
  expect(await inProcess()).toEqual(kept);
  for (const name of readdirSync(join(folder, 'compiled')))
    writeFileSync(join(folder, 'compiled', name), 'torn');
  expect(await inProcess()).toEqual(kept);
});

it('a package is imported on demand, without a warning', async () => {
  write('main.js', 'console.log((await import("smol-toml")).parse("a=42").a);', true);
  expect(await inProcess()).toEqual({ stdout: '42\nkept main.js\n', stderr: '' });
});

it('stack traces name the chunk; with --enable-source-maps the source', async () => {
  write('main.js', 'import"node:fs";console.log(new Error("here").stack);', true);
  const { stdout } = await inProcess();
  expect(stdout).toContain(`${join(folder, 'chunks/main.js')}:2:29`);
  const map = { version: 3, sources: ['../main.ts'], names: [], mappings: ';4BAOA' };
  write(
    'main.js',
    `import"node:fs";console.log(new Error("here").stack);\n//# sourceMappingURL=main.js.map`,
    true,
  );
  writeFileSync(join(folder, 'chunks/main.js.map'), JSON.stringify(map));
  const mapped = await inProcess('--enable-source-maps');
  expect(mapped.stdout).toContain(`${join(folder, 'main.ts')}:8:`);
});
