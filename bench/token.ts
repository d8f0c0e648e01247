/**
 * A small ERC-20 written in opcodes, so that benches need no compiler: transfer(address,uint256),
 * balanceOf(address).
 */
import { type Address, concatBytes, padLeft } from '../src/core/base/bytes.ts';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { bigIntToFixed } from '../src/core/base/quantity.ts';

const OPCODES: Readonly<Record<string, number>> = {
  STOP: 0x00,
  ADD: 0x01,
  SUB: 0x03,
  LT: 0x10,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  SHR: 0x1c,
  SHA3: 0x20,
  CALLER: 0x33,
  CALLDATALOAD: 0x35,
  CODECOPY: 0x39,
  POP: 0x50,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  DUP1: 0x80,
  DUP2: 0x81,
  DUP3: 0x82,
  DUP6: 0x85,
  SWAP1: 0x90,
  SWAP2: 0x91,
  LOG3: 0xa3,
  CALL: 0xf1,
  RETURN: 0xf3,
  REVERT: 0xfd,
};
const GROW_SELECTOR = '0x8ba1f4f7';
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Words are opcodes, `0x…` (a push), `@label` (a push of the label's position) and `label:`. */
function assemble(source: string): Uint8Array {
  const out: number[] = [];
  const labels = new Map<string, number>();
  const uses: { at: number; label: string }[] = [];
  for (const word of source.trim().split(/\s+/)) {
    if (word.endsWith(':')) {
      labels.set(word.slice(0, -1), out.length);
      out.push(0x5b);
    } else if (word.startsWith('@')) {
      uses.push({ at: out.length + 1, label: word.slice(1) });
      out.push(0x61, 0, 0);
    } else if (word.startsWith('0x')) {
      const bytes = fromHex(word);
      out.push(0x5f + bytes.length, ...bytes);
    } else out.push(OPCODES[word]!);
  }
  for (const { at, label } of uses) {
    out[at] = labels.get(label)! >> 8;
    out[at + 1] = labels.get(label)! & 0xff;
  }
  return Uint8Array.from(out);
}

/** `selectors` and `functions`: more of them, with the selector on the stack. */
const tokenSource = (selectors = '', functions = '') => `
  0x00 CALLDATALOAD 0xe0 SHR
  DUP1 0xa9059cbb EQ @transfer JUMPI
  ${selectors}
  0x70a08231 EQ @balance JUMPI
  fail: 0x00 DUP1 REVERT
  balance: 0x04 CALLDATALOAD 0x00 MSTORE 0x40 0x00 SHA3 SLOAD 0x00 MSTORE 0x20 0x00 RETURN
  transfer:
    CALLER 0x00 MSTORE 0x40 0x00 SHA3 DUP1 SLOAD 0x24 CALLDATALOAD
    DUP1 DUP3 LT @fail JUMPI
    SWAP1 DUP2 SWAP1 SUB SWAP1 SWAP2 SSTORE
    0x04 CALLDATALOAD 0x00 MSTORE 0x40 0x00 SHA3 DUP1 SLOAD DUP3 ADD SWAP1 SSTORE
    0x00 MSTORE 0x04 CALLDATALOAD CALLER ${TRANSFER_TOPIC} 0x20 0x00 LOG3
    0x01 0x00 MSTORE 0x20 0x00 RETURN
  ${functions}`;

export const TOKEN_CODE = assemble(tokenSource());

/**
 * The token with `grow(uint256 from, uint256 to)`, which makes accounts: the one of each number in
 * the range, `grownAddress`, gets 1 wei, and 1,000 units if the number is even.
 */
export const GROWING_TOKEN_CODE = assemble(
  tokenSource(
    `DUP1 ${GROW_SELECTOR} EQ @grow JUMPI`,
    `grow: 0x24 CALLDATALOAD 0x04 CALLDATALOAD
    loop: DUP2 DUP2 LT ISZERO @done JUMPI
      DUP1 0x00 MSTORE 0x20 0x00 SHA3 0x60 SHR
      0x00 DUP1 DUP1 DUP1 0x01 DUP6 0x00 CALL POP
      DUP2 0x01 AND @next JUMPI
      0x03e8 DUP2 0x00 MSTORE 0x40 0x00 SHA3 SSTORE
    next: POP 0x01 ADD @loop JUMP
    done: STOP`,
  ),
);

/** Gives its creator 10^30 units. */
export function tokenInitCode(): Uint8Array {
  const supply = `0x${(10n ** 30n).toString(16).padStart(26, '0')}`;
  const size = toHex(Uint8Array.of(TOKEN_CODE.length >> 8, TOKEN_CODE.length & 0xff));
  const head = (offset: string) =>
    assemble(
      `CALLER 0x00 MSTORE ${supply} 0x40 0x00 SHA3 SSTORE ${size} ${offset} 0x00 CODECOPY ${size} 0x00 RETURN`,
    );
  return concatBytes(head(`0x${head('0x00').length.toString(16)}`), TOKEN_CODE);
}

export function transferData(to: Address, amount: bigint): Uint8Array {
  return concatBytes(fromHex('0xa9059cbb'), padLeft(to, 32), bigIntToFixed(amount, 32));
}

/** Calls `grow` of the growing token. */
export function growData(from: number, to: number): Uint8Array {
  const range = [from, to].map((each) => bigIntToFixed(BigInt(each), 32));
  return concatBytes(fromHex(GROW_SELECTOR), ...range);
}

export function grownAddress(index: number): Address {
  return keccak256(bigIntToFixed(BigInt(index), 32)).subarray(0, 20);
}

export function balanceData(of: Address): Uint8Array {
  return concatBytes(fromHex('0x70a08231'), padLeft(of, 32));
}

/** Storage slot of a balance. */
export function balanceSlot(of: Address): Uint8Array {
  return keccak256(concatBytes(padLeft(of, 32), new Uint8Array(32)));
}
