import { expect, it } from 'vitest';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { World } from '../../state/world.ts';
import type { Step } from '../tracer.ts';
import { StructLogTracer } from './struct-log.ts';

/** A step with nothing but memory, whose words are filled with these bytes. */
function stepWith(words: readonly number[]): Step {
  const bytes = Uint8Array.from(words.flatMap((word) => new Array<number>(32).fill(word)));
  const memory = { size: bytes.length, bytes };
  const frame = { memory, stack: [], sp: 0, address: new Uint8Array(20) };
  return { pc: 0, op: 0, gas: 0, gasCost: 0, depth: 1, frame } as unknown as Step;
}

it('each step has the memory of its own frame', () => {
  const tracer = new StructLogTracer({} as World);
  const memories = [[], [1], [1, 2], [1, 3, 0], [9], [], [1, 3, 0], [1, 2, 3, 4, 5], [0, 2]];
  for (const words of memories) tracer.onStep(stepWith(words));
  const { structLogs } = JSON.parse(new TextDecoder().decode(tracer.result(0, false, EMPTY_BYTES)));
  expect(structLogs.map(({ memory }: { memory: string[] }) => memory)).toEqual(
    memories.map((words) => words.map((word) => `0${word}`.repeat(32))),
  );
});
