/**
 * How often the pace is asked. Opcodes are counted, which costs less than a look at a clock; one that takes longer than most counts
 * as several, so that no more than about a millisecond passes in between.
 */

/** Ordinary opcodes between two looks at the pace. */
export const OPCODES_TO_POLL = 4096;
/** A look into the state: it may have to come from disk. */
export const STATE_OPCODES = 32;
/** 32 bytes that are hashed. */
export const HASHED_WORD_OPCODES = 4;
/** A byte of an exponent. */
export const EXPONENT_BYTE_OPCODES = 8;
/** So many bytes of init code, analysed, count as one. */
export const ANALYSED_BYTES_AN_OPCODE = 16;
/** So much gas of a precompile counts as one. */
export const PRECOMPILE_GAS_AN_OPCODE = 16;
/** A precompile that costs more, and can, runs in pieces. */
export const PRECOMPILE_GAS_AT_ONCE = 100_000;
