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

  it('no init code once it has run, so that creations do not use up the room', () => {
    const space = new CodeSpace(new Machine());
    const initCode = () => new Program(new Uint8Array(24_576));
    const first = space.placeOf(initCode());
    for (let i = 0; i < 200; i++) {
      const program = initCode();
      expect(space.placeOf(program)).toBe(first! + 2 * 24_576 + 40);
      space.drop(program);
    }
    const [outer, inner] = [initCode(), initCode()];
    const place = space.placeOf(outer);
    space.placeOf(inner);
    space.drop(outer);
    expect(space.placeOf(outer)).toBe(place);
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
