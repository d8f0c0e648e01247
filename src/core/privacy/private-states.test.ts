import { describe, expect, it } from 'vitest';
import { residentPrivateStates, SINGLE_PRIVATE_STATE } from './private-states.ts';

const PS1 = { name: 'PS1', members: ['a', 'b'] };
const PS2 = { name: 'PS2', members: ['c'] };

describe('private states of a node', () => {
  it('with one: all keys, no other name', () => {
    expect(SINGLE_PRIVATE_STATE.psis).toEqual(['private']);
    expect(SINGLE_PRIVATE_STATE.psiOf('any')).toBe('private');
    expect(SINGLE_PRIVATE_STATE.membersOf('private')).toBeUndefined();
    SINGLE_PRIVATE_STATE.check('private');
    expect(() => SINGLE_PRIVATE_STATE.check('PS1')).toThrow(
      "only the 'private' psi is supported by the default private state manager",
    );
  });

  it('with several: by resident group, and the empty one', () => {
    const states = residentPrivateStates([PS1, PS2]);
    expect(states.psis).toEqual(['PS1', 'PS2', 'empty']);
    expect(['a', 'b', 'c', 'd'].map((key) => states.psiOf(key))).toEqual([
      'PS1',
      'PS1',
      'PS2',
      undefined,
    ]);
    expect(states.membersOf('PS2')).toEqual(['c']);
    expect(states.membersOf('PS3')).toEqual([]);
    states.check('PS1');
    for (const psi of ['private', 'empty', 'ps1']) {
      expect(() => states.check(psi)).toThrow(
        `unable to find private state for context psi ${psi}`,
      );
    }
  });

  it('no name and no key twice', () => {
    expect(() => residentPrivateStates([PS1, { ...PS1, members: [] }])).toThrow(
      'privacy groups id clash id=PS1',
    );
    expect(() => residentPrivateStates([PS1, { name: 'PS2', members: ['b'] }])).toThrow(
      'same address is part of two different groups: address=b existing.Name=PS1 duplicate.Name=PS2',
    );
    expect(() => residentPrivateStates([{ name: 'empty', members: [] }])).toThrow('clash');
  });
});
