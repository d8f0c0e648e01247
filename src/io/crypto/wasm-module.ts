/** Generates small WebAssembly modules, with one page of memory, and instantiates modules. */

/** Value types, and a block without a result. */
export const TYPE = { i32: 0x7f, i64: 0x7e, function: 0x60, none: 0x40 } as const;
const SECTION = { type: 1, function: 3, memory: 5, export: 7, code: 10 } as const;

/** Unsigned LEB128. */
export function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content];
}

function named(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

export interface WasmFunction {
  readonly name: string;
  /** Groups of locals and instructions, up to the last `end`. */
  readonly code: readonly number[];
}

/** Each function has one parameter, an i32, and no result. */
export function moduleOf(functions: readonly WasmFunction[]): Uint8Array {
  const count = functions.length;
  const exported = functions.flatMap(({ name }, i) => [...named(name), 0, i]);
  const bodies = functions.flatMap(({ code }) => [...leb(code.length), ...code]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(SECTION.type, [1, TYPE.function, 1, TYPE.i32, 0]),
    ...section(SECTION.function, [count, ...functions.map(() => 0)]),
    ...section(SECTION.memory, [1, 0, 1]),
    ...section(SECTION.export, [1 + count, ...named('memory'), 2, 0, ...exported]),
    ...section(SECTION.code, [count, ...bodies]),
  ]);
}

/** The part of the global WebAssembly that is used here; Node's types declare it only as a type. */
interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

const engine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;

/** Returns the module's exports. Throws when the machine does not support an instruction. */
export function instantiate(module: Uint8Array): unknown {
  return new engine.Instance(new engine.Module(module)).exports;
}

/** Like `instantiate`, of a module in base64 (`npm run evm`). */
export function instantiateBase64(base64: string): unknown {
  return instantiate(Buffer.from(base64, 'base64'));
}
