/**
 * Runs the scripts that tools/bundle.mjs makes of our modules. Scripts, because V8 can take up what
 * it compiled of them in an earlier process; of ES modules it cannot on Node 20.
 */
import { readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import type { Piece } from './pieces.ts';

type Values = Record<string, unknown>;

/** What tools/chunk-script.mjs writes; one with an `await` outside functions returns a promise. */
type Chunk = (
  get: (name: string) => Values,
  load: (name: string) => Promise<Values>,
  importPackage: (name: string) => Promise<Values>,
  own: Values,
  require: NodeJS.Require,
  dist: string,
  toPath: typeof fileURLToPath,
) => Promise<void> | undefined;

/** A chunk that was asked for by name, with all that it imports and that was not yet there. */
interface Group {
  readonly name: string;
  /** V8's version and flags, when it was compiled. */
  readonly flags: number;
  readonly kept: ReadonlyMap<string, Piece>;
  /** What is not in `kept`, or not as V8 would have it. */
  readonly compiled: Map<string, { readonly script: Script; readonly checksum: number }>;
}

/** Where compiled code is kept, by the name of its group. Reads and writes never fail. */
export interface KeptCode {
  read(group: string): ReadonlyMap<string, Piece>;
  write(group: string, pieces: ReadonlyMap<string, Piece>): void;
}

export class Chunks {
  private readonly folder: URL;
  private readonly dist: string;
  private readonly code: KeptCode;
  private readonly require: NodeJS.Require;
  private readonly loaded = new Map<string, Values>();
  private groups: Group[] = [];

  /** `bundle`: address of its folder, with a slash. */
  constructor(bundle: URL, code: KeptCode) {
    this.folder = new URL('chunks/', bundle);
    this.dist = new URL('../', bundle).href;
    this.code = code;
    this.require = createRequire(this.folder);
  }

  /** Runs a chunk, and before it what it imports. Rejects with the error of one of them. */
  async load(name: string): Promise<Values> {
    const values = this.loaded.get(name);
    if (values) return values;
    const kept = this.code.read(name);
    const group: Group = { name, flags: cachedDataVersionTag(), kept, compiled: new Map() };
    const { own, ending } = this.run(name, group);
    if (group.compiled.size > 0) this.groups.push(group);
    await ending;
    return own;
  }

  /** Keeps what V8 has compiled since the start, for later processes; chunk by chunk, in turns. */
  async keep(): Promise<void> {
    for (const { name, flags, kept, compiled } of this.groups.splice(0)) {
      // V8 takes code only under the flags that it had when the code was kept.
      if (flags !== cachedDataVersionTag()) continue;
      const pieces = new Map(kept);
      for (const [chunk, { script, checksum }] of compiled) {
        pieces.set(chunk, { checksum, code: script.createCachedData() });
        await new Promise(setImmediate);
      }
      this.code.write(name, pieces);
    }
  }

  private run(name: string, group: Group): { own: Values; ending: Promise<void> | undefined } {
    const chunk = this.compile(name, group);
    const own: Values = {};
    const ending = chunk(
      (other) => this.loaded.get(other) ?? this.run(other, group).own,
      (other) => this.load(other),
      (other) => import(other),
      own,
      this.require,
      this.dist,
      fileURLToPath,
    );
    this.loaded.set(name, own);
    return { own, ending };
  }

  private compile(name: string, { kept, compiled }: Group): Chunk {
    const filename = fileURLToPath(new URL(name, this.folder));
    const text = readFileSync(filename, 'utf8');
    if (process.sourceMapsEnabled) return withSourceMap(filename, text);
    const checksum = crc32(text);
    const piece = kept.get(name);
    const script = new Script(text, {
      filename,
      ...(piece?.checksum === checksum ? { cachedData: piece.code } : {}),
    });
    if (script.cachedDataRejected !== false) compiled.set(name, { script, checksum });
    return script.runInThisContext() as Chunk;
  }
}

/** Node reads the source maps of modules only. */
function withSourceMap(filename: string, text: string): Chunk {
  const module = new Module(filename) as Module & { _compile(text: string, file: string): void };
  module._compile(`module.exports=${text}`, filename);
  return module.exports as Chunk;
}
