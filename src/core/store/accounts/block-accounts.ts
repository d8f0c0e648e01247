/**
 * The accounts that a block's transactions concern, and how: what the index of accounts records
 * (docs/internals/accounts.md).
 */
import { type Address, bytesOfKey, keyOf } from '../../base/bytes.ts';
import { fromHex } from '../../base/hex.ts';
import type { Block } from '../../chain/block.ts';
import type { Log, Receipt } from '../../chain/receipt.ts';
import { REACHED_MAX, type Reached } from '../../execution/reached-accounts.ts';
import type { PrivateAccounts, ReachedByTransaction } from '../../execution/result.ts';

/** Bits of how a transaction concerns an account. */
export const CONCERN = {
  sent: 1,
  received: 2,
  /** The account is a contract that the transaction created. */
  created: 4,
  /** Sender or recipient of tokens (ERC-20, ERC-721, ERC-1155). */
  tokens: 8,
  /** The account was called, or paid, by a contract. */
  internal: 16,
} as const;

const topic = (hex: string) => keyOf(fromHex(hex));
/** Transfer(address,address,uint256), of ERC-20 and ERC-721. */
const TRANSFER = topic('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef');
/** TransferSingle and TransferBatch of ERC-1155: operator, from, to. */
const TRANSFER_SINGLE = topic('c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62');
const TRANSFER_BATCH = topic('4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb');
const ADDRESS_AT = 12;

export interface Creation {
  readonly address: Address;
  readonly creator: Address;
  readonly index: number;
}

/** `places` of an account: index of the transaction and CONCERN bits, alternating, ascending. */
export class BlockAccounts {
  readonly places = new Map<string, number[]>();
  readonly creations: Creation[] = [];

  add(address: Address, index: number, concern: number): void {
    const key = keyOf(address);
    const known = this.places.get(key);
    if (!known) this.places.set(key, [index, concern]);
    else if (known[known.length - 2] === index) known[known.length - 1]! |= concern;
    else known.push(index, concern);
  }

  create(address: Address, creator: Address, index: number): void {
    this.add(address, index, CONCERN.created);
    this.creations.push({ address, creator, index });
  }

  /** Adds the parties of token transfers in `logs`, and what the internal calls reached. */
  addEffects(index: number, logs: readonly Log[], reached: readonly Reached[] = []): void {
    for (const { address, creator } of reached) {
      this.add(address, index, CONCERN.internal);
      if (creator) this.create(address, creator, index);
    }
    let count = 0;
    for (const address of tokenParties(logs)) {
      if (++count > REACHED_MAX) break;
      this.add(address, index, CONCERN.tokens);
    }
  }
}

/** The part that is public. `reached` undefined: internal calls are not known. */
export function publicAccounts(
  { transactions }: Pick<Block, 'transactions'>,
  receipts: readonly Receipt[],
  reached: ReachedByTransaction | undefined,
): BlockAccounts {
  const accounts = new BlockAccounts();
  for (const [index, { sender, to }] of transactions.entries()) {
    const { status, contractAddress, logs } = receipts[index]!;
    accounts.add(sender, index, CONCERN.sent);
    if (to) accounts.add(to, index, CONCERN.received);
    else if (contractAddress && status === 0)
      accounts.add(contractAddress, index, CONCERN.received);
    else if (contractAddress) accounts.create(contractAddress, sender, index);
    if (logs.length > 0 || reached?.has(index)) {
      accounts.addEffects(index, logs, reached?.get(index));
    }
  }
  return accounts;
}

/** What only the parties of one private state may see, in addition to the public part. */
export function privateAccounts(
  receipts: ReadonlyMap<number, Receipt>,
  { reached, inner }: PrivateAccounts,
): BlockAccounts {
  const accounts = new BlockAccounts();
  for (const [index, { status, contractAddress, logs }] of [...receipts].sort(byIndex)) {
    const within = inner.get(index);
    if (within) accounts.add(within.from, index, CONCERN.sent);
    if (within?.to) accounts.add(within.to, index, CONCERN.received);
    if (within && contractAddress && status !== 0) {
      accounts.create(contractAddress, within.from, index);
    }
    accounts.addEffects(index, logs, reached.get(index));
  }
  return accounts;
}

function byIndex([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number {
  return a - b;
}

function* tokenParties(logs: readonly Log[]): Generator<Address> {
  for (const { topics } of logs) {
    if (topics.length < 3) continue;
    const event = keyOf(topics[0]!);
    const isBatch = event === TRANSFER_SINGLE || event === TRANSFER_BATCH;
    if (event !== TRANSFER && !(isBatch && topics.length === 4)) continue;
    for (const topic of isBatch ? [topics[2]!, topics[3]!] : [topics[1]!, topics[2]!]) {
      const address = topic.subarray(ADDRESS_AT);
      // Address 0 is the sender of minted tokens and the recipient of burnt ones.
      if (address.some((byte) => byte !== 0)) yield address;
    }
  }
}

/** The addresses of `places`. */
export function addressOf(key: string): Address {
  return bytesOfKey(key);
}
