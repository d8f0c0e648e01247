/**
 * Uploaded files: an ABI, the output of a compiler or tool that contains one, or Solidity's
 * metadata.
 */
import type { Abi } from 'viem';

export interface Artifact {
  readonly abi: Abi;
  /** Creation code in 0x hex, if the file has it. */
  readonly bytecode: string | undefined;
  readonly name: string | undefined;
}

export type ArtifactProblem = 'json' | 'none' | 'item' | 'links';

export class ArtifactFault extends Error {
  readonly problem: ArtifactProblem;
  /** The faulty part, as in the file. */
  readonly what: string;

  constructor(problem: ArtifactProblem, what = '') {
    super(`${problem}: ${what}`);
    this.problem = problem;
    this.what = what;
  }
}

type Json = Readonly<Record<string, unknown>>;
const ITEMS_MAX = 2_000;

/** Throws ArtifactFault. */
export function readArtifact(text: string): Artifact {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ArtifactFault('json', (error as Error).message);
  }
  const file = isObject(json) ? json : {};
  const output = isObject(file.output) ? file.output : {};
  const found = Array.isArray(json) ? json : (file.abi ?? output.abi);
  if (!Array.isArray(found) || found.length > ITEMS_MAX) throw new ArtifactFault('none');
  for (const item of found) checkItem(item);
  return {
    abi: found.map(completed) as unknown as Abi,
    bytecode: bytecodeOf(file),
    name: nameOf(file),
  };
}

const NAMED = /^(?:function|event|error)$/;
const ITEM = /^(?:function|event|error|constructor|fallback|receive)$/;
const TYPE = /^(?:u?int\d{0,3}|address|bool|string|bytes\d{0,2}|function|tuple)(?:\[\d{0,6}\])*$/;

function checkItem(item: unknown): void {
  const name = isObject(item) ? String(item.name ?? item.type) : String(item);
  const isGood =
    isObject(item) &&
    ITEM.test(String(item.type)) &&
    (typeof item.name === 'string' || !NAMED.test(String(item.type))) &&
    areParameters(item.inputs) &&
    areParameters(item.outputs);
  if (!isGood) throw new ArtifactFault('item', name);
}

function areParameters(list: unknown): boolean {
  return (
    list === undefined ||
    (Array.isArray(list) &&
      list.every(
        (each) =>
          isObject(each) &&
          TYPE.test(String(each.type)) &&
          (Array.isArray(each.components) || !String(each.type).startsWith('tuple')) &&
          areParameters(each.components),
      ))
  );
}

/** Adds the lists that old compilers omit. */
function completed(item: Json): Json {
  return {
    ...item,
    ...(item.type === 'function' ? { inputs: item.inputs ?? [], outputs: item.outputs ?? [] } : {}),
  };
}

/** In the output of solc, and in artifacts of Hardhat, Truffle and Foundry. */
function bytecodeOf(file: Json): string | undefined {
  const evm = isObject(file.evm) ? file.evm : {};
  for (const place of [file.bytecode, evm.bytecode, file.bin]) {
    const code = isObject(place) ? place.object : place;
    if (typeof code !== 'string' || /^(?:0x)?$/.test(code)) continue;
    const bare = code.replace(/^0x/, '');
    if (!/^(?:[0-9a-fA-F]{2})+$/.test(bare)) throw new ArtifactFault('links');
    return `0x${bare}`;
  }
  return undefined;
}

function nameOf(file: Json): string | undefined {
  const settings = isObject(file.settings) ? file.settings : {};
  const target = isObject(settings.compilationTarget) ? settings.compilationTarget : {};
  const name = file.contractName ?? Object.values(target)[0];
  return typeof name === 'string' ? name : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
