/** The loops of `npm run bench -- evm`, in hex. */
import type { Address } from '../src/core/base/bytes.ts';
import { fromHex } from '../src/core/base/hex.ts';

interface Loop {
  /** Runs once, before the loop. */
  readonly first?: string;
  readonly again: string;
  /** Gas to spend, for opcodes that cost so much that 100M would be over in milliseconds. */
  readonly gas?: bigint;
}

const GAS = 100_000_000n;
const LONG_GAS = 2_000_000_000n;

const word = (byte: string) => `7f${byte.repeat(32)}`;
const LONG = word('a7');
const zeros = (count: number) => '6000'.repeat(count);

const accounts = {
  stops: '00',
  /** 1 KB. */
  returns: '6104006000f3',
  /** 24,000 bytes with a jump over all of them. */
  long: `615dbe56${'00'.repeat(23_994)}5b00`,
  writes: '60016000556000600055',
};
const at = (name: keyof typeof accounts) =>
  `61${(0x0a00 + Object.keys(accounts).indexOf(name)).toString(16).padStart(4, '0')}`;

/** Accounts that the loops call. */
export const CALLED: readonly { readonly address: Address; readonly code: Uint8Array }[] =
  Object.entries(accounts).map(([name, code]) => {
    const address = new Uint8Array(20);
    address.set(fromHex(`0x${at(name as keyof typeof accounts).slice(2)}`), 18);
    return { address, code: fromHex(`0x${code}`) };
  });

const onPush = (push: string, opcode: string): Loop => ({
  first: LONG,
  again: `80${push}${opcode}50`,
});
const call = (name: keyof typeof accounts, opcode: string, value = '', gas = GAS): Loop => ({
  again: `${zeros(4)}${value}${at(name)}5a${opcode}50`,
  gas,
});
const precompile = (address: string): Loop => ({
  again: `602060006020600060${address}617530fa50`,
});

export const LOOPS: Readonly<Record<string, Loop>> = {
  'empty loop': { again: '' },
  'JUMPDEST, 200 in a row': { again: '5b'.repeat(200) },
  'DUP, SWAP, POP': { first: '60016002', again: '819080915050' },
  'PUSH32, POP': { again: `${LONG}50${LONG}50` },
  'MSTORE, MLOAD': { again: '600051600101600052' },
  MSTORE8: { again: '6001600053' },
  KECCAK256: { again: '602060002050' },
  'KECCAK256 of 1 KB': { again: '61040060002050' },
  'ADD, small words': { first: '6001', again: '600101' },
  'ADD, long words': { first: LONG, again: `${word('13')}01` },
  'MUL, long words': { first: LONG, again: `${word('13')}02` },
  'DIV, long words': { first: word('ff'), again: `7b${'77'.repeat(28)}810450` },
  'DIV, small divisor': { first: word('ff'), again: '6007810450' },
  'DIV, 128 bits': { first: word('ff'), again: `6f${'77'.repeat(16)}810450` },
  'SDIV, long words': { first: LONG, again: `7b${'77'.repeat(28)}810550` },
  'MOD, long words': { first: word('ff'), again: `7b${'77'.repeat(28)}810650` },
  'SMOD, long words': { first: LONG, again: `7b${'77'.repeat(28)}810750` },
  'ADDMOD, long words': { first: word('ff'), again: `${LONG}81800850` },
  'MULMOD, long words': { first: word('ff'), again: `${LONG}81800950` },
  'MULMOD, changing moduli': { first: word('ff'), again: '5a1981800950' },
  'MULMOD, changing moduli of 128 bits': { first: word('ff'), again: '5a1960801c81800950' },
  'EXP, 32 bytes': { again: `${LONG}${word('13')}0a50` },
  'EXP, exponent 3': { first: LONG, again: '6003810a50' },
  SIGNEXTEND: onPush('600b', '0b'),
  'LT, SGT, EQ, ISZERO': { first: LONG, again: '808010811381141550' },
  'AND, XOR, NOT': { first: LONG, again: '80801681181950' },
  BYTE: onPush('6003', '1a'),
  'SHL, SAR': { first: LONG, again: '8060071b60091d50' },
  'CALLER, ADDRESS': { again: '33503050' },
  'CALLDATALOAD, SHR': { again: '60003560e01c50' },
  'CALLDATACOPY of 256 bytes': { again: '6101006000600037' },
  'CODECOPY of 256 bytes': { again: '6101006000600039' },
  SLOAD: { again: '60015450' },
  'SLOAD of new slots': { again: '5a5450' },
  SSTORE: { first: '6001', again: '60010180600155' },
  'SSTORE of new slots': { again: '60015a55', gas: LONG_GAS },
  BALANCE: { again: '303150' },
  'BALANCE of new accounts': { again: '5a3150' },
  SELFBALANCE: { again: '4750' },
  EXTCODESIZE: { again: `${at('long')}3b50` },
  EXTCODEHASH: { again: `${at('long')}3f50` },
  'EXTCODECOPY of 256 bytes': { again: `61010060006000${at('long')}3c` },
  'LOG0 of a word': { again: '60206000a0' },
  'LOG1 of a word': { again: '600160206000a1' },
  'LOG4 of 256 bytes': { again: '60016002600360046101006000a4', gas: LONG_GAS },
  CALL: call('stops', 'f1', '6000'),
  'CALL with value': call('stops', 'f1', '6001', LONG_GAS),
  'CALL that returns 1 KB': call('returns', 'f1', '6000'),
  'CALL of 24 KB of code': call('long', 'f1', '6000'),
  'CALL that stores': call('writes', 'f1', '6000', LONG_GAS),
  DELEGATECALL: call('stops', 'f4'),
  STATICCALL: call('stops', 'fa'),
  CREATE: { again: '600060006000f050', gas: LONG_GAS },
  'CREATE with 24 KB of init code': {
    first: `64${'6003565b00'}60d81b600052`,
    again: '61600060006000f050',
  },
  'CREATE, SELFDESTRUCT': {
    first: '6130ff60f01b600052',
    again: '600260006000f050',
    gas: LONG_GAS,
  },
  'RETURNDATACOPY of 1 KB': {
    first: `${zeros(5)}${at('returns')}5af150`,
    again: '610400600060003e',
  },
  'STATICCALL of the identity': precompile('04'),
  'STATICCALL of SHA-256': precompile('02'),
  'STATICCALL of RIPEMD-160': precompile('03'),
};

/** Opcodes that GoQuorum does not have. */
export const NEWER: Readonly<Record<string, Loop>> = {
  'PUSH0, POP': { again: '5f505f50' },
  'MCOPY of 256 bytes': { again: '610100600060005e' },
  'TLOAD, TSTORE': { again: '60015c60010160015d' },
};

export function gasOf({ gas = GAS }: Loop): bigint {
  return gas;
}

export function codeOf({ first = '', again }: Loop): Uint8Array {
  const start = first.length / 2;
  return fromHex(`0x${first}5b${again}60${start.toString(16).padStart(2, '0')}56`);
}
