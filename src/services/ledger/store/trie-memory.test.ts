import { expect, it } from 'vitest';
import { trieMemory } from './trie-memory.ts';

const MB = 1024 ** 2;

it('takes a part of the memory, neither too little nor too much', () => {
  const sizes = [512, 4_096, 8_192, 16_384, 65_536].map((size) => trieMemory(size * MB).bytes / MB);
  expect(sizes).toEqual([128, 128, 192, 192, 192]);
});
