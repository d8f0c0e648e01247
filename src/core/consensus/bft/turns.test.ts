import { expect, it } from 'vitest';
import { ZERO_ADDRESS } from '../../base/bytes.ts';
import { missedTurns } from './turns.ts';

const validators = [1, 2, 3, 4].map((each) => new Uint8Array(20).fill(each));
const [one, two, three, four] = validators as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const turns = { validators, policy: 'roundRobin', lastProposer: one } as const;

it.each([
  ['nobody in round 0', { author: two, round: 0 }, []],
  ['the proposer of round 0', { author: three, round: 1 }, [two]],
  ['each once, however many rounds', { author: two, round: 4_000_000_000 }, [three, four, one]],
  ['not one that made the block later', { author: two, round: 4 }, [three, four, one]],
  ['an author that repeats a locked block', { author: two, round: 1 }, []],
] as const)('by the round of the header: %s', (_, of, missed) => {
  expect(missedTurns({ ...turns, ...of })).toEqual(missed);
});

it('by the author, where the header has no round', () => {
  const by = (author: Uint8Array) => missedTurns({ ...turns, author, round: undefined });
  expect(by(two)).toEqual([]);
  expect(by(four)).toEqual([two, three]);
  expect(by(new Uint8Array(20).fill(9))).toEqual([]);
});

it('a sticky proposer, the block after genesis, and no validators', () => {
  const sticky = { ...turns, policy: 'sticky' } as const;
  expect(missedTurns({ ...sticky, author: two, round: 1 })).toEqual([one]);
  const first = { ...turns, lastProposer: ZERO_ADDRESS };
  expect(missedTurns({ ...first, author: two, round: 1 })).toEqual([one]);
  expect(missedTurns({ ...first, validators: [], author: two, round: 3 })).toEqual([]);
});
