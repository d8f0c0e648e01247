/**
 * Every method must have a row that describes how a non-party would probe it (the probes run in
 * test/e2e/isolation.test.ts).
 */
import { expect, it } from 'vitest';
import { PROBES, SUBSCRIPTION_PROBES, subscriptionName } from '../../../../test/support/probes.ts';
import { TABLE } from './table.ts';

it('every method and subscription is tried by a stranger, and nothing else is', () => {
  expect(Object.keys(PROBES).sort()).toEqual(TABLE.methods.map(({ names }) => names[0]).sort());
  expect(Object.keys(SUBSCRIPTION_PROBES).sort()).toEqual(
    TABLE.subscriptions.map((each) => subscriptionName(each as never)).sort(),
  );
});
