/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), eight bytes per step. Protects log records and slots
 * against torn writes and bit rot.
 */

const POLYNOMIAL = 0x82f63b78;
const STRIDE = 256;

/** Eight tables of 256, one after the other. */
const TABLES: Uint32Array = buildTables();

function buildTables(): Uint32Array {
  const tables = new Uint32Array(8 * STRIDE);
  for (let byte = 0; byte < STRIDE; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = STRIDE; at < tables.length; at++) {
    const previous = tables[at - STRIDE]!;
    tables[at] = (previous >>> 8) ^ tables[previous & 0xff]!;
  }
  return tables;
}

/**
 * Continues from `crc` (the value of the bytes before), so parts can be chained. Unsigned 32 bits.
 */
export function crc32c(bytes: Uint8Array, crc = 0, start = 0, end: number = bytes.length): number {
  const t = TABLES;
  let value = ~crc;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const low =
      value ^
      (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    value =
      t[1792 + (low & 0xff)]! ^
      t[1536 + ((low >>> 8) & 0xff)]! ^
      t[1280 + ((low >>> 16) & 0xff)]! ^
      t[1024 + (low >>> 24)]! ^
      t[768 + bytes[at + 4]!]! ^
      t[512 + bytes[at + 5]!]! ^
      t[256 + bytes[at + 6]!]! ^
      t[bytes[at + 7]!]!;
  }
  for (; at < end; at++) value = (value >>> 8) ^ t[(value ^ bytes[at]!) & 0xff]!;
  return ~value >>> 0;
}

/** Highest bit first: the constant 1 of a polynomial modulo POLYNOMIAL. */
const ONE = 0x80000000;
/** x^8, x^16, x^32, …: what 1, 2, 4, … bytes multiply by. */
const POWERS: Uint32Array = buildPowers();

function buildPowers(): Uint32Array {
  const powers = new Uint32Array(32);
  powers[0] = ONE >>> 8;
  for (let k = 1; k < powers.length; k++) powers[k] = product(powers[k - 1]!, powers[k - 1]!);
  return powers;
}

/** Of two polynomials modulo POLYNOMIAL. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let rest = a | 0; rest !== 0; rest <<= 1) {
    if (rest < 0) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return sum >>> 0;
}

/**
 * What bytes with the checksum `crc` add to the checksum of `length` bytes that follow them:
 * crc32c(a ‖ b) = crc32cBefore(crc32c(a), b.length) ^ crc32c(b), as in zlib's `crc32_combine`.
 */
export function crc32cBefore(crc: number, length: number): number {
  let moved = crc;
  for (let k = 0, rest = length; rest > 0; k++, rest >>>= 1) {
    if (rest & 1) moved = product(POWERS[k]!, moved);
  }
  return moved >>> 0;
}
