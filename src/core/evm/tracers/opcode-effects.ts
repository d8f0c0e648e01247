/** What each opcode writes on the stack and in memory, for tracers that show effects. */
import type { Frame } from '../frame.ts';

const OPCODE = {
  ...{ mload: 0x51, mstore: 0x52, mstore8: 0x53, mcopy: 0x5e },
  ...{ calldatacopy: 0x37, codecopy: 0x39, extcodecopy: 0x3c, returndatacopy: 0x3e },
  ...{ call: 0xf1, callcode: 0xf2, delegatecall: 0xf4, staticcall: 0xfa },
} as const;
const DUP1 = 0x80;
const SWAP16 = 0x9f;

/** STOP, copies, POP, stores, jumps, logs, RETURN, REVERT, INVALID and SELFDESTRUCT. */
const PUSHES_NOTHING: ReadonlySet<number> = new Set([
  ...[0x00, 0x37, 0x39, 0x3c, 0x3e, 0x50, 0x52, 0x53, 0x55, 0x56, 0x57, 0x5b, 0x5d, 0x5e],
  ...[0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3, 0xfd, 0xfe, 0xff],
]);

/** Words at the top of the stack that the opcode wrote: DUP and SWAP show all that they reach. */
export function wordsPushed(op: number): number {
  if (op >= DUP1 && op <= SWAP16) return (op & 0x0f) + 2;
  return PUSHES_NOTHING.has(op) ? 0 : 1;
}

/**
 * Bytes that the opcode will write, read (MLOAD), or offer for an output (calls), from its operands
 * on the stack; undefined: none.
 */
export function memoryWritten(
  op: number,
  { stack, sp }: Frame,
): { readonly offset: number; readonly length: number } | undefined {
  // Operands: 0 is the top of the stack.
  const region = (offset: number, length: number) => {
    const bytes = Number(stack[sp - 1 - length]!);
    return bytes === 0 ? undefined : { offset: Number(stack[sp - 1 - offset]!), length: bytes };
  };
  switch (op) {
    case OPCODE.mload:
    case OPCODE.mstore:
      return { offset: Number(stack[sp - 1]!), length: 32 };
    case OPCODE.mstore8:
      return { offset: Number(stack[sp - 1]!), length: 1 };
    case OPCODE.calldatacopy:
    case OPCODE.codecopy:
    case OPCODE.returndatacopy:
    case OPCODE.mcopy:
      return region(0, 2);
    case OPCODE.extcodecopy:
      return region(1, 3);
    case OPCODE.call:
    case OPCODE.callcode:
      return region(5, 6);
    case OPCODE.delegatecall:
    case OPCODE.staticcall:
      return region(4, 5);
    default:
      return undefined;
  }
}
