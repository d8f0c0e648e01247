/**
 * How often the pace is asked. Counting opcodes is cheaper than reading a clock; a slow opcode
 * counts as several, so that at most about a millisecond passes between two checks.
 */

/** Ordinary opcodes between two pace checks. */
export const OPCODES_TO_POLL = 4096;
/** How many opcodes a state read counts as; it may be from disk. */
export const STATE_OPCODES = 32;
/** How many opcodes each hashed word of 32 bytes counts as. */
export const HASHED_WORD_OPCODES = 4;
/** How many opcodes each byte of an exponent counts as. */
export const EXPONENT_BYTE_OPCODES = 8;
/** Bytes of analysed init code that count as one opcode. */
export const ANALYSED_BYTES_AN_OPCODE = 16;
/** Precompile gas that counts as one opcode. */
export const PRECOMPILE_GAS_AN_OPCODE = 16;
/** A precompile that costs more gas runs in slices, if it can. */
export const PRECOMPILE_GAS_AT_ONCE = 100_000;
