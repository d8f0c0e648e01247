/** Values of Solidity's types, as people write and read them. */
import { type AbiParameter, isAddress } from 'viem';

export class ValueFault extends Error {
  readonly parameter: string;
  readonly type: string;

  constructor({ name, type }: AbiParameter) {
    super(`${name || type}: not a value of ${type}`);
    this.parameter = name || type;
    this.type = type;
  }
}

/** Parses `text`; lists and structures are JSON. Throws ValueFault. */
export function readValue(parameter: AbiParameter, text: string): unknown {
  const { type } = parameter;
  const isNested = type.endsWith(']') || type.startsWith('tuple');
  if (!isNested) return readPlain(parameter, type === 'string' ? text : text.trim());
  try {
    return readJson(parameter, JSON.parse(text));
  } catch (error) {
    throw error instanceof ValueFault ? error : new ValueFault(parameter);
  }
}

function readJson(parameter: AbiParameter, value: unknown): unknown {
  const { type, name } = parameter;
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list) {
    const isGood = Array.isArray(value) && (list[2] === '' || value.length === Number(list[2]));
    if (!isGood) throw new ValueFault(parameter);
    const item = { ...parameter, type: list[1]!, name: name ?? '' };
    return value.map((each) => readJson(item, each));
  }
  if (type === 'tuple') {
    if (typeof value !== 'object' || value === null) throw new ValueFault(parameter);
    const { components } = parameter as { readonly components: readonly AbiParameter[] };
    const parts = components.map((part, at) =>
      readJson(part, (value as Record<string, unknown>)[Array.isArray(value) ? at : part.name!]),
    );
    return components.every((part) => part.name)
      ? Object.fromEntries(components.map((part, at) => [part.name, parts[at]]))
      : parts;
  }
  return readPlain(parameter, type === 'string' ? String(value) : String(value).trim());
}

function readPlain(parameter: AbiParameter, text: string): unknown {
  const { type } = parameter;
  if (type === 'string') return text;
  if (type === 'bool' && /^(?:true|false)$/.test(text)) return text === 'true';
  if (type === 'address' && isAddress(text, { strict: /[a-f]/.test(text) && /[A-F]/.test(text) }))
    return text;
  if (type.startsWith('bytes') && /^0x(?:[0-9a-fA-F]{2})*$/.test(text)) {
    const size = Number(type.slice('bytes'.length));
    if (size === 0 || text.length === 2 + 2 * size) return text;
  }
  if (/^u?int/.test(type) && /^-?(?:\d+|0x[0-9a-fA-F]+)$/.test(text)) {
    const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
    const bits = BigInt(type.replace(/^u?int/, '') || 256);
    const [least, most] = type.startsWith('u')
      ? [0n, 2n ** bits - 1n]
      : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
    if (value >= least && value <= most) return value;
  }
  throw new ValueFault(parameter);
}

/** On one line; lists and structures as JSON. */
export function showValue(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') return String(value);
  return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? String(part) : part));
}
