/**
 * Where things lie in the linear memory. The host reads these addresses from the module's exports.
 */

/**
 * What host and loop tell each other when one of them takes over: 32-bit numbers, by the indices of
 * `Slot` in the host.
 */
export const CONTROL: usize = 1024;
/** Gas of the frame, a 64-bit integer. */
export const GAS: usize = 1104;
/**
 * Words that the surroundings of a frame push: 32 bytes each, least significant limb first; see
 * `Surrounding` in the host.
 */
export const SURROUNDINGS: usize = 2048;
/** By opcode: fewest stack bytes (16 bits), most stack bytes (16 bits), constant gas (32 bits). */
export const OPCODES: usize = 4096;
/** Digits of divisions, factors of powers. */
export const SCRATCH: usize = 8192;
/** State of Keccak, and its last block. */
export const HASH: usize = 8704;
/** Stacks of frames, one behind the other. */
export const STACKS: usize = 65536;
export const STACKS_END: usize = STACKS + 1024 * 1024;
/** Codes, each with its jump destinations behind it. */
export const CODES: usize = STACKS_END;
export const CODES_END: usize = CODES + 4 * 1024 * 1024;
/** Inputs and memories of frames, one behind the other. */
export const ARENA: usize = CODES_END;
