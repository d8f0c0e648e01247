import { expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { PeerTurns } from './peer-turns.ts';

it('passes over a peer that left in the turn of another', async () => {
  const turns = new PeerTurns(() => 0);
  const went: string[] = [];
  const first = turns.newPlace();
  const second = turns.newPlace();
  const third = turns.newPlace();
  turns.wait(first, () => {
    went.push('first');
    turns.forget(second);
  });
  turns.wait(second, () => went.push('second'));
  turns.wait(third, () => went.push('third'));
  await until('all had their turn', () => went.includes('third'));
  expect(went).toEqual(['first', 'third']);
});
