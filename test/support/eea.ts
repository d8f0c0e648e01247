/**
 * Signs EEA private transactions as clients do: with ethers' keys and RLP, and none of our own
 * code.
 */
import { encodeRlp, getBytes, keccak256, SigningKey, toBeHex } from 'ethers';

export interface EeaFields {
  readonly key?: string;
  readonly nonce?: number;
  readonly to?: readonly Uint8Array[] | Uint8Array;
  readonly contract?: string;
  readonly data?: string;
  readonly value?: bigint;
  readonly chainId?: bigint;
  readonly gas?: number;
  readonly gasPrice?: bigint;
  readonly privateFrom: Uint8Array;
  readonly restriction?: string;
}

export const EEA_SIGNER = `0x${'5e'.repeat(32)}`;

export function eeaKey(number: number): Uint8Array {
  return new Uint8Array(32).fill(number);
}

function quantity(value: bigint | number | string): string {
  return BigInt(value) === 0n ? '0x' : toBeHex(BigInt(value));
}

export function signEea(fields: EeaFields): Uint8Array {
  const { key = EEA_SIGNER, nonce = 0, to = [], contract = '0x', data = '0x' } = fields;
  const { value = 0n, chainId = 1337n, gas = 3_000_000, gasPrice = 0n } = fields;
  const { restriction = 'restricted' } = fields;
  const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
  const body = [
    quantity(nonce),
    quantity(gasPrice),
    quantity(gas),
    contract,
    quantity(value),
    data,
  ];
  const tail = [
    hex(fields.privateFrom),
    to instanceof Uint8Array ? hex(to) : to.map(hex),
    hex(Buffer.from(restriction)),
  ];
  const digest = keccak256(encodeRlp([...body, quantity(chainId), '0x', '0x', ...tail]));
  const { r, s, yParity } = new SigningKey(key).sign(digest);
  const v = 35n + 2n * chainId + BigInt(yParity);
  return getBytes(encodeRlp([...body, quantity(v), quantity(r), quantity(s), ...tail]));
}
