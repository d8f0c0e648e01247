/** Generates small WebAssembly modules: one page of memory and one function. */

/** Value types, and a block without a result. */
export const TYPE = { i32: 0x7f, i64: 0x7e, v128: 0x7b, function: 0x60, none: 0x40 } as const;
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

/**
 * `parameters`: number of the function's parameters, all i32. `code`: the function's groups of
 * locals and its instructions, up to the last `end`.
 */
export function moduleOf(part: {
  readonly name: string;
  readonly parameters: number;
  readonly code: readonly number[];
}): Uint8Array {
  const { name, parameters, code } = part;
  const types = Array.from({ length: parameters }, () => TYPE.i32);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(SECTION.type, [1, TYPE.function, parameters, ...types, 0]),
    ...section(SECTION.function, [1, 0]),
    ...section(SECTION.memory, [1, 0, 1]),
    ...section(SECTION.export, [2, ...named('memory'), 2, 0, ...named(name), 0, 0]),
    ...section(SECTION.code, [1, ...leb(code.length), ...code]),
  ]);
}

/** The part of the global WebAssembly that is used here; Node's types declare it only as a type. */
interface Engine {
  instantiate(module: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>;
}

/** Returns the module's exports. Rejects when the machine does not support an instruction. */
export async function instantiate(module: Uint8Array): Promise<unknown> {
  const engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
  return (await engine.instantiate(module)).instance.exports;
}
