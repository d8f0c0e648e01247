/** Products of a number and a few digits, added to columns: two lanes at once. */
import { relieve } from './digits';
import { RELIEF_ROWS } from './layout';

/**
 * Adds to column k the sum of q0·v[k], q1·v[k-1], q2·v[k-2] and q3·v[k-3], for k from 0 to
 * `columns` - 1, rounded up to a multiple of 4; at least 4. Addresses are the lowest of a step plus a constant,
 * which costs no instruction.
 */
export function addRows(
  column: usize,
  v: usize,
  columns: i32,
  q0: f64,
  q1: f64,
  q2: f64,
  q3: f64,
): void {
  v -= 24;
  const end = v + ((<usize>columns) << 3);
  const r0 = f64x2.splat(q0);
  const r1 = f64x2.splat(q1);
  const r2 = f64x2.splat(q2);
  const r3 = f64x2.splat(q3);
  do {
    let low = v128.load(column);
    let high = v128.load(column, 16);
    low = f64x2.add(low, f64x2.mul(v128.load(v, 24), r0));
    high = f64x2.add(high, f64x2.mul(v128.load(v, 40), r0));
    low = f64x2.add(low, f64x2.mul(v128.load(v, 16), r1));
    high = f64x2.add(high, f64x2.mul(v128.load(v, 32), r1));
    low = f64x2.add(low, f64x2.mul(v128.load(v, 8), r2));
    high = f64x2.add(high, f64x2.mul(v128.load(v, 24), r2));
    low = f64x2.add(low, f64x2.mul(v128.load(v), r3));
    high = f64x2.add(high, f64x2.mul(v128.load(v, 16), r3));
    v128.store(column, low);
    v128.store(column, high, 16);
    v += 32;
    column += 32;
  } while (v < end);
}

/** Digit k of a number. */
export function digit(number: usize, k: i32): f64 {
  return load<f64>(number + ((<usize>k) << 3));
}

export function addTo(column: usize, value: f64): void {
  store<f64>(column, load<f64>(column) + value);
}

/** A loop, because entering `memory.fill` costs more than clearing a short number. */
function clear(column: usize, columns: i32): void {
  const end = column + ((<usize>columns) << 3);
  for (; column < end; column += 16) v128.store(column, f64x2.splat(0));
}

/** columns = a·b; both have `n` digits, a multiple of 4. */
export function multiply(columns: usize, a: usize, b: usize, n: i32): void {
  clear(columns, 2 * n + 8);
  for (let i = 0; i < n; i += 4) {
    const from = a + ((<usize>i) << 3);
    const column = columns + ((<usize>i) << 3);
    if (i !== 0 && i % RELIEF_ROWS === 0) {
      relieve(column - ((<usize>RELIEF_ROWS) << 3), n + RELIEF_ROWS + 4);
    }
    addRows(column, b, n + 4, digit(from, 0), digit(from, 1), digit(from, 2), digit(from, 3));
  }
}

/** columns = a·a: products of two different digits are computed once. */
export function square(columns: usize, a: usize, n: i32): void {
  clear(columns, 2 * n + 8);
  for (let i = 0; i < n; i += 4) {
    const from = a + ((<usize>i) << 3);
    const column = columns + ((<usize>i) << 4);
    if (i !== 0 && i % RELIEF_ROWS === 0) {
      relieve(column - ((<usize>RELIEF_ROWS) << 4), n - i + 2 * RELIEF_ROWS + 4);
    }
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
    const v = from + 32;
    const q0 = 2 * d0;
    const q1 = 2 * d1;
    const q2 = 2 * d2;
    const q3 = 2 * d3;
    addFirstRows(column + 32, v, q0, q1, q2, q3);
    addRows(column + 64, v + 32, n - i - 4, q0, q1, q2, q3);
  }
}

/** Four columns of `addRows`, as if zeros were before `v`. */
function addFirstRows(column: usize, v: usize, q0: f64, q1: f64, q2: f64, q3: f64): void {
  const v0 = digit(v, 0);
  const v1 = digit(v, 1);
  const v2 = digit(v, 2);
  const v3 = digit(v, 3);
  addTo(column, v0 * q0);
  addTo(column + 8, v1 * q0 + v0 * q1);
  addTo(column + 16, v2 * q0 + v1 * q1 + v0 * q2);
  addTo(column + 24, v3 * q0 + v2 * q1 + v1 * q2 + v0 * q3);
}
