/** The main loop of the division for a divisor of eight digits. */
import { DIVIDEND, DIVISOR, digit, LOW, QUOTIENT, quotientDigit, setDigit } from './digits';

/**
 * The nine digits of the dividend that a step needs are variables: what a step stores need not be
 * loaded again by the next one.
 */
export function divideByEight(m: i32, top: u64, second: u64, inverse: u64): void {
  const v0 = digit(DIVISOR, 0);
  const v1 = digit(DIVISOR, 1);
  const v2 = digit(DIVISOR, 2);
  const v3 = digit(DIVISOR, 3);
  const v4 = digit(DIVISOR, 4);
  const v5 = digit(DIVISOR, 5);
  const v6 = second;
  const v7 = top;
  let d0 = digit(DIVIDEND, m - 8);
  let d1 = digit(DIVIDEND, m - 7);
  let d2 = digit(DIVIDEND, m - 6);
  let d3 = digit(DIVIDEND, m - 5);
  let d4 = digit(DIVIDEND, m - 4);
  let d5 = digit(DIVIDEND, m - 3);
  let d6 = digit(DIVIDEND, m - 2);
  let d7 = digit(DIVIDEND, m - 1);
  let d8 = digit(DIVIDEND, m);
  for (let j = m - 8; ; j--) {
    let q = quotientDigit(d8, d7, d6, top, second, inverse);
    let c = q * v0;
    let e0 = d0 - (c & LOW);
    c = (c >> 32) + (e0 >> 63) + q * v1;
    let e1 = d1 - (c & LOW);
    c = (c >> 32) + (e1 >> 63) + q * v2;
    let e2 = d2 - (c & LOW);
    c = (c >> 32) + (e2 >> 63) + q * v3;
    let e3 = d3 - (c & LOW);
    c = (c >> 32) + (e3 >> 63) + q * v4;
    let e4 = d4 - (c & LOW);
    c = (c >> 32) + (e4 >> 63) + q * v5;
    let e5 = d5 - (c & LOW);
    c = (c >> 32) + (e5 >> 63) + q * v6;
    let e6 = d6 - (c & LOW);
    c = (c >> 32) + (e6 >> 63) + q * v7;
    let e7 = d7 - (c & LOW);
    c = (c >> 32) + (e7 >> 63);
    if (d8 < c) {
      q--;
      c = (e0 & LOW) + v0;
      e0 = c;
      c = (c >> 32) + (e1 & LOW) + v1;
      e1 = c;
      c = (c >> 32) + (e2 & LOW) + v2;
      e2 = c;
      c = (c >> 32) + (e3 & LOW) + v3;
      e3 = c;
      c = (c >> 32) + (e4 & LOW) + v4;
      e4 = c;
      c = (c >> 32) + (e5 & LOW) + v5;
      e5 = c;
      c = (c >> 32) + (e6 & LOW) + v6;
      e6 = c;
      c = (c >> 32) + (e7 & LOW) + v7;
      e7 = c;
    }
    if (j < 8) setDigit(QUOTIENT, j, q);
    if (j === 0) {
      setDigit(DIVIDEND, 0, e0);
      setDigit(DIVIDEND, 1, e1);
      setDigit(DIVIDEND, 2, e2);
      setDigit(DIVIDEND, 3, e3);
      setDigit(DIVIDEND, 4, e4);
      setDigit(DIVIDEND, 5, e5);
      setDigit(DIVIDEND, 6, e6);
      setDigit(DIVIDEND, 7, e7);
      setDigit(DIVIDEND, 8, 0);
      return;
    }
    d8 = e7 & LOW;
    d7 = e6 & LOW;
    d6 = e5 & LOW;
    d5 = e4 & LOW;
    d4 = e3 & LOW;
    d3 = e2 & LOW;
    d2 = e1 & LOW;
    d1 = e0 & LOW;
    d0 = digit(DIVIDEND, j - 1);
  }
}
