import { describe, expect, it } from 'vitest';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { ZERO_ADDRESS, ZERO_HASH } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import type { Fork } from '../chain/rules.ts';
import { MemoryReader } from '../state/memory-reader.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { BlockEnvironment } from './environment.ts';
import { buyGas, settleGas } from './gas-purchase.ts';
import type { Message } from './message.ts';

const SENDER = fromHex('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
const CONTRACT = new Uint8Array(20).fill(8);
const MINER = new Uint8Array(20).fill(9);
const NAME = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

function worldOf(): PublicWorld {
  const { reader } = MemoryReader.fromAlloc([
    { address: SENDER, balance: 1_000_000n, nonce: 5n },
    { address: CONTRACT, balance: 1_000_000n, nonce: 5n, code: fromHex('0x00') },
  ]);
  return new PublicWorld(reader, 1);
}

function sharedOf(fork: Fork, baseFee = 0n, blobBaseFee = 1n): BlockEnvironment {
  return {
    rules: rulesOfFork(fork),
    block: {
      number: 1,
      timestamp: 1n,
      coinbase: MINER,
      gasLimit: 100_000n,
      difficulty: 1n,
      prevRandao: ZERO_HASH,
      baseFee,
      blobBaseFee,
    },
    blockHash: () => undefined,
    feesTo: MINER,
  };
}

function messageOf(change: Partial<Message> = {}): Message {
  return {
    type: 0,
    sender: SENDER,
    nonce: 5n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 2n,
    gasLimit: 50_000n,
    to: ZERO_ADDRESS,
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    ...change,
  };
}

describe('refusals', () => {
  const versioned = new Uint8Array(32).fill(1);
  it.each<[string, Fork, Partial<Message>, string]>([
    ['future nonce', 'istanbul', { nonce: 6n }, `nonce too high: address ${NAME}, tx: 6 state: 5`],
    ['old nonce', 'istanbul', { nonce: 4n }, `nonce too low: address ${NAME}, tx: 4 state: 5`],
    [
      'contract as sender',
      'istanbul',
      { sender: CONTRACT },
      'sender not an eoa: address 0x0808080808080808080808080808080808080808, codehash: ',
    ],
    [
      'price',
      'istanbul',
      { maxFeePerGas: 21n, maxPriorityFeePerGas: 21n },
      `insufficient funds for gas * price + value: address ${NAME} have 1000000 want 1050000`,
    ],
    [
      'value, later, before London',
      'istanbul',
      { value: 900_001n },
      `insufficient funds for transfer: address ${NAME}`,
    ],
    [
      'value, at once, from London on',
      'london',
      { value: 900_001n },
      `insufficient funds for gas * price + value: address ${NAME} have 1000000 want 1000001`,
    ],
    ['block gas', 'istanbul', { gasLimit: 300_001n }, 'gas limit reached'],
    [
      'intrinsic gas',
      'istanbul',
      { gasLimit: 20_999n },
      'intrinsic gas too low: have 20999, want 21000',
    ],
    [
      'tip above cap',
      'london',
      { maxPriorityFeePerGas: 3n },
      `max priority fee per gas higher than max fee per gas: address ${NAME}, maxPriorityFeePerGas: 3, maxFeePerGas: 2`,
    ],
    [
      'cap below base fee',
      'london',
      { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n },
      `max fee per gas less than block base fee: address ${NAME}, maxFeePerGas: 1, baseFee: 2`,
    ],
    [
      'init code',
      'shanghai',
      { to: undefined, gasLimit: 260_000n, data: new Uint8Array(49_153) },
      'max initcode size exceeded: code size 49153 limit 49152',
    ],
    ['blob creation', 'cancun', { type: 3, to: undefined }, 'blob transaction of type create'],
    ['no blobs', 'cancun', { type: 3 }, 'blob transaction missing blob hashes'],
    [
      'blob version',
      'cancun',
      { type: 3, blobVersionedHashes: [ZERO_HASH] },
      'blob 0 has invalid hash version',
    ],
    [
      'blobs',
      'cancun',
      { type: 3, blobVersionedHashes: Array(7).fill(versioned) },
      'blob transaction has too many blobs (max=6, have=7)',
    ],
    [
      'blob price',
      'cancun',
      { type: 3, blobVersionedHashes: [versioned] },
      `max fee per blob gas less than block blob gas fee: address ${NAME} blobGasFeeCap: 0, blobBaseFee: 1`,
    ],
  ])('%s', (_, fork, change, text) => {
    const shared = sharedOf(fork, fork === 'london' || fork === 'cancun' ? 2n : 0n);
    const buy = () => buyGas(worldOf(), messageOf(change), shared, { left: 300_000n });
    expect(buy).toThrow(text);
  });
});

describe('payment', () => {
  it('takes the whole limit, gives back what is left and burns the base fee', () => {
    const world = worldOf();
    const pool = { left: 100_000n };
    const shared = sharedOf('london', 3n);
    const message = messageOf({ maxFeePerGas: 10n, maxPriorityFeePerGas: 4n });
    const purchase = buyGas(world, message, shared, pool);
    expect(purchase).toEqual({ gasPrice: 7n, intrinsicGas: 21_000 });
    expect(world.balance(SENDER)).toBe(1_000_000n - 350_000n);
    expect(pool.left).toBe(50_000n);
    settleGas(world, message, shared, pool, purchase, 21_000n);
    expect(world.balance(SENDER)).toBe(1_000_000n - 147_000n);
    expect(world.balance(MINER)).toBe(84_000n);
    expect(pool.left).toBe(79_000n);
  });

  it('init code may be twice as long as the contracts of the network', () => {
    const shanghai = sharedOf('shanghai');
    const shared = { ...shanghai, rules: { ...shanghai.rules, codeBytesMax: 65_536 } };
    const buy = (length: number) => {
      const data = new Uint8Array(length);
      const message = messageOf({ to: undefined, gasLimit: 700_000n, maxFeePerGas: 0n, data });
      return buyGas(worldOf(), { ...message, maxPriorityFeePerGas: 0n }, shared, {
        left: 700_000n,
      });
    };
    expect(buy(131_072).gasPrice).toBe(0n);
    expect(() => buy(131_073)).toThrow('max initcode size exceeded: code size 131073 limit 131072');
  });
});
