/**
 * The generated chain: its sizes, its files, and the transactions of each block, which follow from
 * the block's number. All blocks do the same kind of work, so that rates at the start and at the
 * end can be compared: some new accounts, transfers and token transfers between random old ones.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Address } from '../../src/core/base/bytes.ts';
import { toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { Prng } from '../../src/core/base/prng.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { signTransaction, type UnsignedTransaction } from '../../src/core/chain/signing.ts';
import type { DecodedTransaction } from '../../src/core/chain/transaction.ts';
import { CHAIN_ID, type Topology, topologyOf } from '../../src/services/devnet/topology.ts';
import { benchGenesis } from '../network.ts';
import { balanceSlot, GROWING_TOKEN_CODE, growData, grownAddress, transferData } from '../token.ts';

export const BLOCKS = Number(process.env.GROW_BLOCKS ?? 300_000);
export const ACCOUNTS = Number(process.env.GROW_ACCOUNTS ?? 2_000_000);
/** The chain is exported and imported in so many pieces. */
export const PIECES = Number(process.env.GROW_PIECES ?? 20);
/** The late pieces are imported into a copy of the chain from before them. */
export const LATE_FROM = PIECES - 2;
/** GoQuorum imports so many of the first ones. */
export const THEIR_PIECES = Number(process.env.GROW_REFERENCE_PIECES ?? PIECES);
/** A run ends after this time; the next one continues. */
export const SECONDS = Number(process.env.GROW_SECONDS ?? Number.POSITIVE_INFINITY);
export const FOLDER =
  process.env.GROW_FOLDER ??
  resolve(import.meta.dirname, `../../.cache/grow-${BLOCKS}-${ACCOUNTS}`);
/** Transfers in a block, and as many token transfers. */
const TRANSFERS = 2;
export const PER_BLOCK = 1 + 2 * TRANSFERS;
const SENDERS = 1_000;
export const PORT = 27_900;
export const TOKEN: Address = new Uint8Array(20).fill(0x70);

export const BUILT = join(FOLDER, 'built');
export const GENESIS = join(FOLDER, 'genesis.json');
/** The copy, which has the whole chain once the late pieces are imported. */
export const LATE = join(FOLDER, 'late');
const FIGURES = join(FOLDER, 'figures.json');

interface Sender {
  readonly key: Uint8Array;
  readonly address: Address;
}

/** Accounts that exist after this block. */
export function accountsAt(block: number): number {
  return Math.floor((block * ACCOUNTS) / BLOCKS);
}

/** Last block of each piece. */
export function pieceEnds(): number[] {
  return Array.from({ length: PIECES }, (_, at) => Math.floor(((at + 1) * BLOCKS) / PIECES));
}

export function pieceFile(piece: number): string {
  return join(FOLDER, 'pieces', `${piece}.rlp`);
}

/** Writes the genesis file on the first run. */
export function prepare(): Topology {
  mkdirSync(join(FOLDER, 'pieces'), { recursive: true });
  const keys = join(FOLDER, 'topology');
  mkdirSync(keys, { recursive: true });
  const topology = topologyOf(keys, PORT);
  if (!existsSync(GENESIS)) writeFileSync(GENESIS, JSON.stringify(genesis(topology)));
  return topology;
}

function genesis(topology: Topology): object {
  const plain = benchGenesis(topology, false) as { alloc: object };
  const units = toHex(new Uint8Array(12).fill(1));
  const holders = senders().map(({ address }) => [toHex(balanceSlot(address)), units]);
  const token = { balance: '0xde0b6b3a7640000', code: toHex(GROWING_TOKEN_CODE) };
  return {
    ...plain,
    alloc: {
      ...plain.alloc,
      ...Object.fromEntries(
        senders().map(({ address }) => [toHex(address).slice(2), { balance: '0xde0b6b3a7640000' }]),
      ),
      [toHex(TOKEN).slice(2)]: { ...token, storage: Object.fromEntries(holders) },
    },
  };
}

let madeSenders: Sender[] | undefined;

function senders(): Sender[] {
  madeSenders ??= Array.from({ length: SENDERS }, (_, index) => {
    const key = keccak256(Uint8Array.of(0x5e, index, index >> 8));
    return { key, address: addressOfSecretKey(key) };
  });
  return madeSenders;
}

/** Transactions of a block, signed. */
export function transactionsOf(block: number): DecodedTransaction[] {
  const random = new Prng(block);
  const known = Math.max(2, accountsAt(block - 1));
  let count = (block - 1) * PER_BLOCK;
  const sign = (unsigned: UnsignedTransaction): DecodedTransaction => {
    const { key } = senders()[count % SENDERS]!;
    const nonce = BigInt(Math.floor(count++ / SENDERS));
    return signTransaction({ ...unsigned, nonce }, key, { chainId: BigInt(CHAIN_ID) });
  };
  const data = growData(accountsAt(block - 1), accountsAt(block));
  const signed = [sign({ to: TOKEN, value: 0n, gasLimit: 5_000_000n, data })];
  for (let at = 0; at < TRANSFERS; at++) {
    signed.push(sign({ to: grownAddress(random.below(known)), value: 1n, gasLimit: 21_000n }));
    const holder = grownAddress(random.below(known) & ~1);
    const paid = transferData(holder, 1n);
    signed.push(sign({ to: TOKEN, value: 0n, gasLimit: 100_000n, data: paid }));
  }
  return signed;
}

export type Measured = Record<string, number[]>;

/** What earlier runs have measured, by name. */
export function readFigures(): Measured {
  return existsSync(FIGURES) ? (JSON.parse(readFileSync(FIGURES, 'utf8')) as Measured) : {};
}

export function writeFigures(figures: Measured): void {
  writeFileSync(FIGURES, JSON.stringify(figures, null, 2));
}
