/** A method is a door: none is without a row that says how a stranger would try it (the tries are in test/e2e/isolation.test.ts). */
import { expect, it } from 'vitest';
import { DOORS, SUBSCRIPTION_DOORS, subscriptionName } from '../../../../test/support/doors.ts';
import { TABLE } from './table.ts';

it('every method and subscription is tried by a stranger, and nothing else is', () => {
  expect(Object.keys(DOORS).sort()).toEqual(TABLE.methods.map(({ names }) => names[0]).sort());
  expect(Object.keys(SUBSCRIPTION_DOORS).sort()).toEqual(
    TABLE.subscriptions.map((each) => subscriptionName(each as never)).sort(),
  );
});
