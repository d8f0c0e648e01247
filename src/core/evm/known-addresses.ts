/** Addresses by their word, so that equal words give the same array. */
import { type Address, ZERO_ADDRESS } from '../base/bytes.ts';
import { addressOfWord } from './words.ts';

/** Most addresses kept. */
const ADDRESSES_MAX = 4096;

export class KnownAddresses {
  private readonly known = new Map<bigint, Address>();
  private lastWord = 0n;
  private lastAddress: Address = ZERO_ADDRESS;

  of(word: bigint): Address {
    // An opcode asks more than once: for its price, and when it runs.
    if (word === this.lastWord) return this.lastAddress;
    let address = this.known.get(word);
    if (address === undefined) {
      if (this.known.size >= ADDRESSES_MAX) this.known.clear();
      address = addressOfWord(word);
      this.known.set(word, address);
    }
    this.lastWord = word;
    this.lastAddress = address;
    return address;
  }
}
