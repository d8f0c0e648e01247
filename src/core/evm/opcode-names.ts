/** Mnemonics as geth 1.10.3 prints them (SHA3, DIFFICULTY), with those of later forks. */

const NAMES = new Map<number, string>();

function name(first: number, names: string): void {
  for (const [i, one] of names.split(' ').entries()) NAMES.set(first + i, one);
}

name(0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND');
name(0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR');
name(0x20, 'SHA3');
name(0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY');
name(0x38, 'CODESIZE CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY');
name(0x3f, 'EXTCODEHASH BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID');
name(0x47, 'SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE');
name(0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE');
name(0x5e, 'MCOPY PUSH0');
for (let n = 1; n <= 32; n++) NAMES.set(0x5f + n, `PUSH${n}`);
for (let n = 1; n <= 16; n++) NAMES.set(0x7f + n, `DUP${n}`);
for (let n = 1; n <= 16; n++) NAMES.set(0x8f + n, `SWAP${n}`);
name(0xa0, 'LOG0 LOG1 LOG2 LOG3 LOG4');
// No fork has these opcodes, but geth names them.
name(0xb0, 'PUSH DUP SWAP');
name(0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2');
name(0xfa, 'STATICCALL');
name(0xfd, 'REVERT');
name(0xff, 'SELFDESTRUCT');

const BY_CODE: readonly string[] = Array.from(
  { length: 256 },
  (_, op) => NAMES.get(op) ?? `opcode 0x${op.toString(16)} not defined`,
);

export function opcodeName(op: number): string {
  return BY_CODE[op]!;
}
