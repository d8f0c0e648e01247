/** Sorted by their first four bytes: two that agree in these need no order. */
const SORTED_BYTES = 4;

/**
 * The numbers from 0 to `count`, in the order of their hashes. One number for each, its hash above
 * its place, is sorted faster than anything else.
 */
export function placesInOrder(count: number, hashAt: (place: number) => Uint8Array): Float64Array {
  const order = new Float64Array(count);
  for (let place = 0; place < count; place++) {
    const hash = hashAt(place);
    let sorted = 0;
    for (let i = 0; i < SORTED_BYTES; i++) sorted = sorted * 256 + hash[i]!;
    order[place] = sorted * count + place;
  }
  return order.sort().map((each) => each % count);
}
