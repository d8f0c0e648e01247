/**
 * How often the pace is asked. Counting opcodes is cheaper than reading a clock; a slow opcode
 * counts as several, so that at most about a millisecond passes in between.
 */

/** Ordinary opcodes between two pace checks. */
export const OPCODES_TO_POLL = 4096;
/** A state read, possibly from disk. */
export const STATE_OPCODES = 32;
/** 32 bytes that are hashed. */
export const HASHED_WORD_OPCODES = 4;
/** A byte of an exponent. */
export const EXPONENT_BYTE_OPCODES = 8;
/** Bytes of analysed init code that count as one. */
export const ANALYSED_BYTES_AN_OPCODE = 16;
/** Precompile gas that counts as one. */
export const PRECOMPILE_GAS_AN_OPCODE = 16;
/** A precompile that costs more runs in slices, if it can. */
export const PRECOMPILE_GAS_AT_ONCE = 100_000;
