/** The layout of linear memory. The host reads these addresses from the module's exports. */

/**
 * What host and loop pass to each other: 32-bit numbers, with the indexes of `Slot` in the host.
 */
export const CONTROL: usize = 1024;
/** Gas of the frame, a 64-bit integer. */
export const GAS: usize = 1104;
/**
 * Before the first word of a frame's stack: its address, its caller and the value, a word each.
 */
export const FRAME_WORDS: usize = 3 * 32;
/**
 * The words of the execution and the block, for opcodes that push them: 32 bytes each, least significant
 * limb first; see `Surrounding` in the host.
 */
export const SURROUNDINGS: usize = 2048;
/**
 * By opcode: minimum stack bytes (16 bits), maximum stack bytes (16 bits), constant gas (32 bits).
 */
export const OPCODES: usize = 4096;
/** The digits of divisions, and the factors of powers. */
export const SCRATCH: usize = 8192;
/** The state of Keccak; what SHA-256 and RIPEMD-160 have of a block. */
export const HASH: usize = 8704;
/** Logs that the host has not taken over yet; see logs.ts. */
export const LOGS: usize = 16384;
export const LOGS_END: usize = LOGS + 32768;
/** What the last call returned, if slot 18 of CONTROL says so. */
export const RETURN_DATA: usize = LOGS_END;
export const RETURN_DATA_END: usize = RETURN_DATA + 8192;
/** What slot 18 says when the loop itself ran the call, and the host has not taken it over yet. */
export const RETURN_DATA_NEW: u32 = 2;
/** What MULMOD computes with; see modular-product.ts. */
export const COLUMNS: usize = RETURN_DATA_END;
/** What the host answered to opcodes that read an account; see answers.ts. */
export const ANSWERS: usize = COLUMNS + 1024;
/** The stacks of frames, one after the other. */
export const STACKS: usize = 65536;
export const STACKS_END: usize = STACKS + 1024 * 1024;
/** Codes, each followed by its jump destinations. */
export const CODES: usize = STACKS_END;
export const CODES_END: usize = CODES + 4 * 1024 * 1024;
/** The inputs and memories of frames, one after the other. */
export const ARENA: usize = CODES_END;

/** Why the host must continue. */
export const EXIT_OPCODE: i32 = 0;
export const EXIT_POLL: i32 = 1;
/**
 * The frame has ended; for the last two, the registers are followed by the place of the output in
 * its memory.
 */
export const EXIT_STOP: i32 = 2;
export const EXIT_RETURN: i32 = 3;
export const EXIT_REVERT: i32 = 4;
