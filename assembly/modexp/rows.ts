/** Products of a number and a few digits, added to columns of 64 bits: two lanes at once. */

/**
 * Adds to column k the sum of q0·v[k], q1·v[k-1], q2·v[k-2] and q3·v[k-3], for k from 0 to
 * `columns` - 1, rounded up to a multiple of 4.
 */
export function addRows(
  column: usize,
  v: usize,
  columns: i32,
  q0: i32,
  q1: i32,
  q2: i32,
  q3: i32,
): void {
  const end = v + ((<usize>columns) << 2);
  const r0 = i32x4.splat(q0);
  const r1 = i32x4.splat(q1);
  const r2 = i32x4.splat(q2);
  const r3 = i32x4.splat(q3);
  while (v < end) {
    let low = v128.load(column);
    let high = v128.load(column, 16);
    let digits = v128.load(v);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(digits, r0));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(digits, r0));
    digits = v128.load(v - 4);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(digits, r1));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(digits, r1));
    digits = v128.load(v - 8);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(digits, r2));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(digits, r2));
    digits = v128.load(v - 12);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(digits, r3));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(digits, r3));
    v128.store(column, low);
    v128.store(column, high, 16);
    v += 16;
    column += 32;
  }
}

/** Digit k of a number. */
export function digit(number: usize, k: i32): i64 {
  return <i64>load<i32>(number + ((<usize>k) << 2));
}

export function addTo(column: usize, value: i64): void {
  store<i64>(column, load<i64>(column) + value);
}

/** columns = a·b; both have `n` digits, a multiple of 4. */
export function multiply(columns: usize, a: usize, b: usize, n: i32): void {
  memory.fill(columns, 0, (<usize>(2 * n + 8)) << 3);
  for (let i = 0; i < n; i += 4) {
    const from = a + ((<usize>i) << 2);
    addRows(
      columns + ((<usize>i) << 3),
      b,
      n + 4,
      load<i32>(from),
      load<i32>(from, 4),
      load<i32>(from, 8),
      load<i32>(from, 12),
    );
  }
}

/** columns = a·a: products of two different digits are computed once. */
export function square(columns: usize, a: usize, n: i32): void {
  memory.fill(columns, 0, (<usize>(2 * n + 8)) << 3);
  for (let i = 0; i < n; i += 4) {
    const from = a + ((<usize>i) << 2);
    const column = columns + ((<usize>i) << 4);
    const d0 = digit(from, 0);
    const d1 = digit(from, 1);
    const d2 = digit(from, 2);
    const d3 = digit(from, 3);
    addTo(column, d0 * d0);
    addTo(column + 8, 2 * d0 * d1);
    addTo(column + 16, 2 * d0 * d2 + d1 * d1);
    addTo(column + 24, 2 * (d0 * d3 + d1 * d2));
    addTo(column + 32, 2 * d1 * d3 + d2 * d2);
    addTo(column + 40, 2 * d2 * d3);
    addTo(column + 48, d3 * d3);
    if (i + 4 === n) break;
    const v = from + 16;
    const q0 = <i32>(2 * d0);
    const q1 = <i32>(2 * d1);
    const q2 = <i32>(2 * d2);
    const q3 = <i32>(2 * d3);
    addFirstRows(column + 32, v, q0, q1, q2, q3);
    addRows(column + 64, v + 16, n - i - 4, q0, q1, q2, q3);
  }
}

/** Four columns of `addRows`, as if zeros were before `v`. */
function addFirstRows(column: usize, v: usize, q0: i32, q1: i32, q2: i32, q3: i32): void {
  const v0 = digit(v, 0);
  const v1 = digit(v, 1);
  const v2 = digit(v, 2);
  const v3 = digit(v, 3);
  addTo(column, v0 * q0);
  addTo(column + 8, v1 * q0 + v0 * q1);
  addTo(column + 16, v2 * q0 + v1 * q1 + v0 * q2);
  addTo(column + 24, v3 * q0 + v2 * q1 + v1 * q2 + v0 * q3);
}
