/**
 * Powers modulo a number of up to BYTES_MAX bytes, in pieces: `open`, `raise` for each part of the
 * exponent, `close`; or `power` for an exponent of at most four bytes.
 */
import { add, isNegative, read, write } from './digits';
import { dividend, openDivision, reduce } from './division';
import {
  BASE_BYTES,
  COLUMNS,
  EXPONENT,
  FACTOR,
  MODULUS,
  MODULUS_BYTES,
  OUTPUT,
  POWER,
  RADIX_BITS,
  STATE,
  TABLE_STEP,
} from './layout';
import { openMontgomery, reduceMontgomery } from './montgomery';
import { multiply, square } from './rows';

export {
  BASE_BYTES,
  BYTES_MAX,
  EXPONENT,
  EXPONENT_BYTES,
  MODULUS_BYTES,
  OUTPUT,
  STATE,
  STATE_END,
} from './layout';

/** Digits of numbers below the modulus, rounded up to whole vectors. */
let digits: i32 = 0;
/** Digits that can be other than zero. */
let used: i32 = 0;
let isMontgomery: bool = false;
/** Bytes of the modulus as given. */
let length: i32 = 0;

/** At the start of STATE: what `resume` needs. */
const BITS: usize = STATE;
const LENGTH: usize = STATE + 4;
const KIND: usize = STATE + 8;
const STARTED: usize = STATE + 12;

/** Takes over what is in STATE, which the host may have kept and put back. */
export function resume(): void {
  const bits = load<i32>(BITS);
  length = load<i32>(LENGTH);
  isMontgomery = load<i32>(KIND) !== 0;
  used = digitsOf(bits);
  digits = roundedUp(used);
  if (isMontgomery) openMontgomery(MODULUS);
  openDivision(MODULUS, digits);
}

/** Digits of numbers up to four times 2^bits. */
function digitsOf(bits: i32): i32 {
  return (bits + 2 + RADIX_BITS - 1) / RADIX_BITS;
}

function roundedUp(count: i32): i32 {
  return (count + 3) & ~3;
}

/** Takes the modulus, which is above zero and has no leading zero byte. */
function begin(modulusBytes: i32, hasManyProducts: bool): void {
  const bits = 8 * modulusBytes - clz<i32>(<i32>load<u8>(MODULUS_BYTES)) + 24;
  const isOdd = (load<u8>(MODULUS_BYTES + <usize>modulusBytes - 1) & 1) !== 0;
  store<i32>(BITS, bits);
  store<i32>(LENGTH, modulusBytes);
  store<i32>(KIND, isOdd && hasManyProducts ? 1 : 0);
  store<i32>(STARTED, 0);
  digits = roundedUp(digitsOf(bits));
  clear(MODULUS);
  read(MODULUS, digits, MODULUS_BYTES, modulusBytes);
  resume();
}

/** Zeros also before and after the number. */
function clear(number: usize): void {
  memory.fill(number - 64, 0, ((<usize>digits) << 3) + 128);
}

/** `isReduced`: the base may be needed as a result. In Montgomery's form it is multiplied by R. */
function takeBase(bytes: i32, isReduced: bool): void {
  clear(FACTOR);
  const count = (8 * bytes + RADIX_BITS) / RADIX_BITS;
  if (!isMontgomery && !isReduced && count <= used) {
    read(FACTOR, digits, BASE_BYTES, bytes);
    return;
  }
  const places = isMontgomery ? digits : 0;
  memory.fill(dividend(), 0, (<usize>(places + count + 4)) << 3);
  read(dividend() + ((<usize>places) << 3), count, BASE_BYTES, bytes);
  reduce(FACTOR, digits, places + count);
}

function product(to: usize, a: usize, b: usize): void {
  if (isMontgomery) {
    multiply(COLUMNS, a, b, digits);
    reduceMontgomery(to, MODULUS, digits);
  } else {
    multiply(dividend(), a, b, digits);
    reduce(to, digits, 2 * used);
  }
}

function squarePower(): void {
  if (isMontgomery) {
    square(COLUMNS, POWER, digits);
    reduceMontgomery(POWER, MODULUS, digits);
  } else {
    square(dividend(), POWER, digits);
    reduce(POWER, digits, 2 * used);
  }
}

function setPower(from: usize): void {
  memory.copy(POWER - 64, from - 64, ((<usize>digits) << 3) + 128);
}

export function power(baseBytes: i32, modulusBytes: i32, exponent: u32): void {
  begin(modulusBytes, exponent > 3);
  takeBase(baseBytes, exponent === 1);
  setPower(FACTOR);
  for (let bit = 30 - clz<u32>(exponent); bit >= 0; bit--) {
    squarePower();
    if ((exponent >> bit) & 1) product(POWER, POWER, FACTOR);
  }
  close();
}

export function open(baseBytes: i32, modulusBytes: i32): void {
  begin(modulusBytes, true);
  takeBase(baseBytes, false);
  for (let i: usize = 1; i < 15; i++) {
    const to = FACTOR + i * TABLE_STEP;
    clear(to);
    product(to, to - TABLE_STEP, FACTOR);
  }
}

/** Takes the next `count` bytes of the exponent, after `resume` if other powers came between. */
export function raise(count: i32): void {
  for (let i = 0; i < count; i++) {
    const byte = load<u8>(EXPONENT + <usize>i);
    step(byte >> 4);
    step(byte & 15);
  }
}

/** Four bits of the exponent. */
function step(bits: usize): void {
  const isStarted = load<i32>(STARTED) !== 0;
  if (isStarted) for (let i = 0; i < 4; i++) squarePower();
  if (bits === 0) return;
  const entry = FACTOR + (bits - 1) * TABLE_STEP;
  if (isStarted) product(POWER, POWER, entry);
  else setPower(entry);
  store<i32>(STARTED, 1);
}

/** Writes the power to OUTPUT, as long as the modulus. */
export function close(): void {
  if (isMontgomery) {
    memory.fill(COLUMNS, 0, (<usize>(2 * digits + 8)) << 3);
    memory.copy(COLUMNS, POWER, (<usize>digits) << 3);
    reduceMontgomery(POWER, MODULUS, digits);
  }
  if (isNegative(POWER, digits)) add(POWER, MODULUS, digits);
  write(POWER, digits, OUTPUT + <usize>length, length);
}
