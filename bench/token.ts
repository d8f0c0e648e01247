/**
 * A small ERC-20 written in opcodes, so that benches need no compiler: transfer(address,uint256),
 * balanceOf(address).
 */
import { type Address, concatBytes, padLeft } from '../src/core/base/bytes.ts';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { bigIntToFixed } from '../src/core/base/quantity.ts';

const OPCODES: Readonly<Record<string, number>> = {
  ADD: 0x01,
  SUB: 0x03,
  LT: 0x10,
  EQ: 0x14,
  SHR: 0x1c,
  SHA3: 0x20,
  CALLER: 0x33,
  CALLDATALOAD: 0x35,
  CODECOPY: 0x39,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMPI: 0x57,
  DUP1: 0x80,
  DUP2: 0x81,
  DUP3: 0x82,
  SWAP1: 0x90,
  SWAP2: 0x91,
  LOG3: 0xa3,
  RETURN: 0xf3,
  REVERT: 0xfd,
};
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

export const TOKEN_CODE = assemble(`
  0x00 CALLDATALOAD 0xe0 SHR
  DUP1 0xa9059cbb EQ @transfer JUMPI
  0x70a08231 EQ @balance JUMPI
  fail: 0x00 DUP1 REVERT
  balance: 0x04 CALLDATALOAD 0x00 MSTORE 0x40 0x00 SHA3 SLOAD 0x00 MSTORE 0x20 0x00 RETURN
  transfer:
    CALLER 0x00 MSTORE 0x40 0x00 SHA3 DUP1 SLOAD 0x24 CALLDATALOAD
    DUP1 DUP3 LT @fail JUMPI
    SWAP1 DUP2 SWAP1 SUB SWAP1 SWAP2 SSTORE
    0x04 CALLDATALOAD 0x00 MSTORE 0x40 0x00 SHA3 DUP1 SLOAD DUP3 ADD SWAP1 SSTORE
    0x00 MSTORE 0x04 CALLDATALOAD CALLER ${TRANSFER_TOPIC} 0x20 0x00 LOG3
    0x01 0x00 MSTORE 0x20 0x00 RETURN`);

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

export function balanceData(of: Address): Uint8Array {
  return concatBytes(fromHex('0x70a08231'), padLeft(of, 32));
}

/** Storage slot of a balance. */
export function balanceSlot(of: Address): Uint8Array {
  return keccak256(concatBytes(padLeft(of, 32), new Uint8Array(32)));
}
