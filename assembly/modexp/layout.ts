/**
 * Where numbers are in the module's memory. A number is an array of digits, the lowest one first:
 * 64-bit floats that are integers, in radix 2^24, of about 2^23 at most, either sign. Floats because
 * products and sums of two lanes need no other instruction than the product and the sum; they are
 * exact below 2^53. Products of digits are below 2^46.1, so 100 of them may be added to a column
 * before it hands on what exceeds a digit (`relieve`).
 */
export const RADIX_BITS: i32 = 24;
export const RADIX: f64 = <f64>(1 << RADIX_BITS);
export const MASK: i64 = (1 << RADIX_BITS) - 1;
export const HALF: i64 = 1 << (RADIX_BITS - 1);
/** Rows of a product, or of a quotient, between two calls of `relieve`; a multiple of four. */
export const RELIEF_ROWS: i32 = 48;

/** Longest base and modulus, in bytes. */
export const BYTES_MAX: i32 = 1536;
/** Digits of such a number, with room for rounding up to whole vectors: 516. */
const NUMBER: usize = 528 * 8;
/** Zeros before and after each number: vectors read beyond both ends. */
const PAD: usize = 64;
const SLOT: usize = PAD + NUMBER + PAD;

/** Until here the compiler places constants. */
const START: usize = 16384;

/** The host writes base and modulus here, and up to EXPONENT_BYTES of the exponent. */
export const BASE_BYTES: usize = START;
export const MODULUS_BYTES: usize = BASE_BYTES + <usize>BYTES_MAX;
export const EXPONENT: usize = MODULUS_BYTES + <usize>BYTES_MAX;
export const EXPONENT_BYTES: i32 = 4096;
/** The power, big-endian, in as many bytes as the modulus was given. */
export const OUTPUT: usize = EXPONENT + <usize>EXPONENT_BYTES + 64;

/** Columns of a product and of a dividend. */
export const COLUMNS: usize = OUTPUT + <usize>BYTES_MAX + 64 + PAD;
const COLUMNS_BYTES: usize = 1120 * 8;

/** From here on, memory is one power's own: the host keeps it while other powers are computed. */
export const STATE: usize = COLUMNS + COLUMNS_BYTES + PAD;
/** The modulus; the modulus in the places where it divides; the current power; the base. */
export const MODULUS: usize = STATE + 128;
export const DIVISOR: usize = MODULUS + SLOT;
export const POWER: usize = DIVISOR + SLOT;
export const FACTOR: usize = POWER + SLOT;
/** The base's powers 1 to 15, TABLE_STEP bytes apart, if the exponent is long. */
export const TABLE: usize = FACTOR;
export const TABLE_STEP: usize = SLOT;
export const STATE_END: usize = TABLE + 16 * SLOT;
