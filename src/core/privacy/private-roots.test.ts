import { expect, it } from 'vitest';
import { toBase64 } from '../base/base64.ts';
import { statesIn, statesToJson } from './private-roots.ts';

const bytes = (fill: number) => new Uint8Array(32).fill(fill);
const root = (number: number) => ({ number, root: bytes(number & 0xff) });
const written = (number: number) => ({ number, root: toBase64(bytes(number & 0xff)) });
const key = toBase64(bytes(1));

it('gives back the roots of one state, and of several with their keys', () => {
  const only = [{ roots: [root(16), root(32)] }];
  const several = [
    { psi: 'A', keys: [bytes(1)], roots: [root(16)] },
    { keys: [bytes(2), bytes(3)], roots: [] },
  ];
  for (const states of [only, several]) {
    expect(statesIn(JSON.parse(JSON.stringify(statesToJson(states))))).toEqual(states);
  }
  expect(JSON.stringify(statesToJson([]))).toBe('{"roots":[]}');
});

it('leaves out what is not a root', () => {
  const roots = [
    null,
    7,
    'x',
    { number: -0.5 },
    { number: 1, root: '!' },
    { number: 1, root: 'AA==' },
  ];
  expect(statesIn({ roots })).toEqual([]);
  const states = [null, 7, {}, { keys: [] }, { keys: ['!'] }, { keys: [key, 1] }, { roots }];
  expect(statesIn({ states })).toEqual([]);
  expect(statesIn({ states: [{ psi: 7, keys: [key], roots }] })).toEqual([
    { keys: [bytes(1)], roots: [] },
  ]);
  expect(statesIn({ roots: 'x', states: 'y' })).toEqual([]);
});

it('takes so many of one message', () => {
  const many = Array.from({ length: 1_030 }, (_, at) => written(at));
  expect(statesIn({ roots: many })[0]!.roots).toHaveLength(1_024);
  const keys = Array.from({ length: 300 }, () => key);
  const digest = { number: 1, payload: toBase64(new Uint8Array(64)), digest: key };
  const digests = [{ ...digest, parties: keys }, ...Array(1_029).fill(digest)];
  const told = statesIn({ digests })[0]!.digests!;
  expect(told).toHaveLength(1_024);
  expect(told[0]!.parties).toHaveLength(256);
  const states = Array.from({ length: 300 }, () => ({ keys, roots: [] }));
  const found = statesIn({ states });
  expect(found).toHaveLength(256);
  expect(found[0]!.keys).toHaveLength(256);
});
