import { describe, expect, it } from 'vitest';
import { environmentOf, worldOf } from '../../../../test/support/evm.ts';
import { rulesOfFork } from '../../../../test/support/rules-of-fork.ts';
import { opcodeTable } from '../fork-table.ts';
import { Program } from '../program.ts';
import { CodeSpace } from './code-space.ts';
import { Machine } from './machine.ts';
import { takeLoop } from './wasm-loop.ts';

const MB = 1024 * 1024;
const take = () =>
  takeLoop(environmentOf(worldOf([]), rulesOfFork('berlin')), opcodeTable('berlin'));

describe('what an instance holds', () => {
  it('codes of 4 MB with their marks; then there is no room until the next execution', () => {
    const space = new CodeSpace(new Machine());
    const code = new Uint8Array(100_000);
    let held = 0;
    while (space.placeOf(new Program(code)) !== undefined) held += 2 * code.length;
    expect(held).toBeGreaterThan(3.5 * MB);
    expect(held).toBeLessThanOrEqual(4 * MB);
    space.tidy();
    expect(space.placeOf(new Program(code))).toBeDefined();
  });

  it('is not kept once it has grown above 64 MB, nor beside four others', () => {
    const large = take();
    large.reach(80 * MB);
    large.giveBack();
    const loops = Array.from({ length: 6 }, take);
    expect(loops).not.toContain(large);
    for (const loop of loops) loop.giveBack();
    const again = Array.from({ length: 6 }, take);
    expect(again.filter((loop) => loops.includes(loop))).toHaveLength(4);
  });
});
