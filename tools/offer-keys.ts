/**
 * The keys of the ramp's offer, and what each must be, found by reading: every key that the reader
 * looks for is tried with a wrong value, and the fault says what is right.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../src/core/ramp/read-config.ts';

export interface OfferKey {
  /** Such as `fiat[].fees[].percent`. */
  readonly path: string;
  /** Such as `must be true or false`. */
  readonly rule: string;
  readonly isRequired: boolean;
}

type Tree = { [name: string]: unknown };
type Path = readonly string[];

/** No text, number, list or object of an offer. */
const WRONG = -0.5;
const ITEM = '0';

export function offerKeys(): OfferKey[] {
  const page = readFileSync(resolve(import.meta.dirname, '../docs/ramp.md'), 'utf8');
  const example: Tree = JSON.parse(/^```json file=ramp.json\n([\s\S]*?)^```$/m.exec(page)![1]!);
  const byHttp = structuredClone(example) as { pricing: { source: unknown } };
  byHttp.pricing.source = { kind: 'http', url: 'https://a.example', field: 'price' };
  const found = [example, byHttp as Tree].flatMap((base) => keysBelow(base, []));
  const unique = new Map(found.map((key) => [key.path, key]));
  return [...unique.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function keysBelow(base: Tree, path: Path): OfferKey[] {
  return namesRead(base, path).flatMap((name): OfferKey[] => {
    const here = [...path, name];
    for (const inner of [here, [...here, ITEM]]) {
      const below = namesRead(base, inner);
      if (below.length > 0) return keysBelow(base, inner);
    }
    const place = pointed(here);
    const rule = faultsOf(withValue(base, here, WRONG)).find((each) => each.startsWith(place));
    const missing = faultsOf(withValue(base, here, undefined));
    return [
      {
        path: place.replaceAll(`[${ITEM}]`, '[]').replace(/\.eth$/, '.<crypto>'),
        rule: rule?.slice(place.length).trim() ?? '',
        isRequired: missing.some((each) => each.startsWith(`${place} `)),
      },
    ];
  });
}

/** Names that the reader looks for in the object at `path`, which is put there if it is absent. */
function namesRead(base: Tree, path: Path): string[] {
  const names = new Set<string>();
  const known = valueAt(base, path);
  const target = typeof known === 'object' && !Array.isArray(known) && known !== null ? known : {};
  const recording = new Proxy(target, {
    getOwnPropertyDescriptor(object, name) {
      names.add(String(name));
      return Reflect.getOwnPropertyDescriptor(object, name);
    },
    ownKeys: () => [],
  });
  faultsOf(withValue(base, path, recording));
  return [...names];
}

function faultsOf(value: unknown): string[] {
  try {
    readConfig(value, 'offer');
    return [];
  } catch (error) {
    return (error as Error).message.split('\n  ').slice(1);
  }
}

function valueAt(base: unknown, path: Path): unknown {
  return path.reduce((value, name) => (value as Tree | undefined)?.[name], base);
}

/** A copy of `base` with this value at `path`; an index in the path makes a list of one item. */
function withValue(base: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const below = (base as Tree | undefined)?.[name];
  const inner = withValue(below, rest, value);
  if (name === ITEM) return [inner];
  return { ...(Array.isArray(base) ? {} : (base as Tree | undefined)), [name]: inner };
}

function pointed(path: Path): string {
  return path.reduce((text, name) => {
    if (name === ITEM) return `${text}[${name}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
