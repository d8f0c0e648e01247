import { encodeRlp } from 'ethers';
import { expect, it } from 'vitest';
import type { Block } from '../node/types.ts';
import { turnsOf } from './turns.ts';

const VALIDATORS = ['a', 'b', 'c', 'd'];
const round = (value: number) => encodeRlp(['0x', [], [], value === 0 ? '0x' : `0x0${value}`, []]);
const block = (miner: string, at = 0) => ({ miner, extraData: round(at) }) as Block;

it('counts a missed turn for those between the last proposer and this one', () => {
  // The newest first: c, then b (d and a missed their turns), then c.
  const { made, missed, late } = turnsOf([block('c'), block('b', 2), block('c')], VALIDATORS);
  expect([...made]).toEqual([
    ['c', 2],
    ['b', 1],
  ]);
  expect([...missed]).toEqual([
    ['d', 1],
    ['a', 1],
  ]);
  expect(late).toBe(1);
});

it('counts no missed turns if proposers do not take turns, or the block before is unknown', () => {
  expect(turnsOf([block('c', 2), block('c')], VALIDATORS).missed.size).toBe(0);
  expect(turnsOf([block('b', 2)], VALIDATORS)).toMatchObject({ late: 1, missed: new Map() });
});

it('counts no rounds for another consensus', () => {
  expect(turnsOf([{ miner: 'a', extraData: '0x00' } as Block], VALIDATORS).late).toBe(0);
});
