import { expect, it } from 'vitest';
import { Offers } from './offers.ts';

const always = () => true;
/** Numbers of the blocks after which something is offered. */
function offering(offers: Offers, last: number, isWaiting: (key: string) => boolean): number[] {
  const blocks = Array.from({ length: last }, (_, at) => at + 1);
  return blocks.filter((number) => offers.take(number, isWaiting).length > 0);
}

it('offers less and less often, and then stops', () => {
  const offers = new Offers();
  offers.begin('a', 0);
  expect(offering(offers, 2_000, always)).toEqual([2, 6, 14, 30, 62, 126, 254, 510]);
});

it('does not offer what no longer waits', () => {
  const offers = new Offers();
  offers.begin('a', 0);
  let asked = 0;
  expect(offering(offers, 100, () => asked++ === 0)).toEqual([2]);
});

it('offers few at once, the rest with the next block', () => {
  const offers = new Offers();
  for (let at = 0; at < 100; at++) offers.begin(`${at}`, 0);
  offers.begin('next', 1);
  expect(offers.take(2, always)).toHaveLength(64);
  expect(offers.take(3, always)).toHaveLength(37);
});
