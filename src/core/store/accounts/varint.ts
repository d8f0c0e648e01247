/** Numbers of 7 bits a byte, the lowest first, in the rows of the index of accounts. */
import { accountsDamaged } from '../store-errors.ts';

export function putVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** Reads a row from its start. Throws STORE_INDEX_DAMAGED where the row ends too early. */
export class VarintReader {
  private readonly row: Uint8Array;
  private at = 0;

  constructor(row: Uint8Array) {
    this.row = row;
  }

  get done(): boolean {
    return this.at >= this.row.length;
  }

  byte(): number {
    const byte = this.row[this.at++];
    if (byte === undefined) throw accountsDamaged('a row of an account is cut off');
    return byte;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** A copy. */
  bytes(length: number): Uint8Array {
    const bytes = this.row.slice(this.at, this.at + length);
    if (bytes.length < length) throw accountsDamaged('a row of an account is cut off');
    this.at += length;
    return bytes;
  }
}
