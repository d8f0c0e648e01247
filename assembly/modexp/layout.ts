/**
 * Where numbers are in the module's memory. A number is an array of digits, the lowest one first:
 * signed 32-bit integers d with -2^27 <= d < 2^27, in radix 2^28. Products of digits are below 2^54,
 * so a column of 64 bits holds the sum of more than 500 of them before anything is carried.
 */
export const RADIX_BITS: i32 = 28;
export const MASK: i64 = (1 << RADIX_BITS) - 1;
export const HALF: i64 = 1 << (RADIX_BITS - 1);

/** Longest base and modulus, in bytes. */
export const BYTES_MAX: i32 = 1536;
/** Digits of such a number, with room for scaling and for rounding up to whole vectors: 460. */
const NUMBER: usize = 512 * 4;
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
const COLUMNS_BYTES: usize = 1056 * 8;
/** Digits of a remainder before it is scaled back. */
export const SCRATCH: usize = COLUMNS + COLUMNS_BYTES + PAD;

/** From here on, memory is one power's own: the host keeps it while other powers are computed. */
export const STATE: usize = SCRATCH + SLOT;
/** The modulus; the modulus scaled for division; the current power; the base. */
export const MODULUS: usize = STATE + 128;
export const DIVISOR: usize = MODULUS + SLOT;
export const POWER: usize = DIVISOR + SLOT;
export const FACTOR: usize = POWER + SLOT;
/** The base's powers 1 to 15, TABLE_STEP bytes apart, if the exponent is long. */
export const TABLE: usize = FACTOR;
export const TABLE_STEP: usize = SLOT;
export const STATE_END: usize = TABLE + 16 * SLOT;
