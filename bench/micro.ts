/**
 * Primitives one by one. Each result is compared with an independent implementation before it is
 * timed.
 */

import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { createAccount, Address as TheirAddress } from '@ethereumjs/util';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa';
import { secp256k1 as nobleSecp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { Transaction as TheirTransaction } from 'ethers';
import { compareBytes, equalBytes } from '../src/core/base/bytes.ts';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { encodeRlp, type RlpValue } from '../src/core/base/rlp.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../src/core/base/secp256k1.ts';
import { signTransaction } from '../src/core/chain/signing.ts';
import { decodeTransaction } from '../src/core/chain/transaction.ts';
import { execute } from '../src/core/evm/interpreter.ts';
import { Trie, type TrieChange } from '../src/core/state/trie.ts';
import { loadEnclaveCrypto } from '../src/io/sodium/nacl.ts';
import { topologyOf } from '../src/services/devnet/topology.ts';
import { openChain } from '../src/services/ledger/store/data.ts';
import { CONTRACT, ETHER, environmentOf, SENDER, worldOf } from '../test/support/evm.ts';
import { nextFrame } from '../test/support/next-frame.ts';
import { rulesOfFork } from '../test/support/rules-of-fork.ts';
import { Account, BenchChain } from './chain.ts';
import { temporaryFolder, writeGenesis } from './folders.ts';
import { sessionPair } from './frames.ts';
import type { Figure } from './report.ts';
import { balanceData, TOKEN_CODE, transferData } from './token.ts';

const RUNS = 7;
const RUN_MS = 120;
const KECCAK_SIZES_BYTES = [32, 136, 576, 4096, 65_536];
const TRIE_ACCOUNTS = 100_000;
const TRIE_CHANGES = 1_000;

type Work = () => unknown;
interface Case {
  readonly name: string;
  readonly work: Work;
  /** The number of operations in one call of `work`. */
  readonly per?: number;
  /** Another implementation of the same; absent: the yardstick. */
  readonly reference?: { readonly name: string; readonly work: Work; readonly per?: number };
}

export async function micro(): Promise<readonly Figure[]> {
  const word = new Uint8Array(32).fill(7);
  const yardstick = { name: 'noble keccak of 32 B', work: () => keccak_256(word) };
  const cases: Case[] = [
    ...recoverCase(),
    ...KECCAK_SIZES_BYTES.map(keccakCase),
    decodeCase(),
    rlpCase(),
    await evmCase(),
    await trieCase(),
    frameCase(),
    await secretboxCase(),
  ];
  const figures = cases.map((each) => measure(each, each.reference ?? yardstick));
  return [...figures, await storeFigure(yardstick)];
}

/** Interleaves the runs, so that other load on the machine affects both. */
function measure({ name, work, per = 1 }: Case, reference: Required<Case>['reference']): Figure {
  const runs: number[] = [];
  const theirs: number[] = [];
  for (let run = -2; run < RUNS; run++) {
    const [ns, theirNs] = [
      nanoseconds(work) / per,
      nanoseconds(reference.work) / (reference.per ?? 1),
    ];
    if (run < 0) continue;
    runs.push(ns);
    theirs.push(theirNs);
  }
  return { name, unit: 'ns', runs, reference: { name: reference.name, runs: theirs } };
}

function nanoseconds(work: Work): number {
  let calls = 0;
  const start = performance.now();
  let now = start;
  for (let batch = 1; now - start < RUN_MS; batch = Math.min(batch * 2, 256)) {
    for (let i = 0; i < batch; i++) work();
    calls += batch;
    now = performance.now();
  }
  return ((now - start) * 1e6) / calls;
}

function agree(what: string, isEqual: boolean): void {
  if (!isEqual) throw new Error(`${what}: our result differs from the oracle's`);
}

function recoverCase(): Case[] {
  const key = keccak256(Uint8Array.of(1));
  const hash = keccak256(Uint8Array.of(2));
  const signature = sign65(hash, key);
  const recovered = (): Uint8Array => {
    const theirs = nobleSecp256k1.Signature.fromBytes(
      signature.subarray(0, 64),
      'compact',
    ).addRecoveryBit(signature[64]!);
    return keccak_256(theirs.recoverPublicKey(hash).toBytes(false).subarray(1)).subarray(12);
  };
  agree('recover', equalBytes(recoverAddress(hash, signature)!, recovered()));
  agree('recover', equalBytes(recovered(), addressOfSecretKey(key)));
  return [
    {
      name: 'recover',
      work: () => recoverAddress(hash, signature),
      reference: { name: 'noble', work: recovered },
    },
  ];
}

function keccakCase(size: number): Case {
  const bytes = new Uint8Array(size).fill(9);
  agree('keccak', equalBytes(keccak256(bytes), keccak_256(bytes)));
  return {
    name: `keccak of ${size} B`,
    work: () => keccak256(bytes),
    reference: { name: 'noble', work: () => keccak_256(bytes) },
  };
}

function decodeCase(): Case {
  const to = new Uint8Array(20).fill(5);
  const unsigned = { nonce: 77n, to, gasLimit: 100_000n, data: transferData(to, 10n ** 18n) };
  const { raw } = signTransaction(unsigned, keccak256(Uint8Array.of(3)), { chainId: 1337n });
  const theirs = TheirTransaction.from(toHex(raw));
  const ours = decodeTransaction(raw);
  agree(
    'transaction',
    theirs.hash === toHex(ours.hash) && theirs.from?.toLowerCase() === toHex(ours.sender),
  );
  return { name: 'decode and hash a transaction', work: () => decodeTransaction(raw).hash };
}

function rlpCase(): Case {
  const items: RlpValue = Array.from({ length: 1_000 }, (_, i) => [
    Uint8Array.of(1 + (i % 200)),
    new Uint8Array(20).fill(i),
    new Uint8Array(68).fill(i + 1),
    new Uint8Array(32).fill(i + 2),
  ]);
  agree('rlp', equalBytes(encodeRlp(items), RLP.encode(items as never)));
  return {
    name: 'rlp of a body, a transaction',
    work: () => encodeRlp(items),
    per: 1_000,
    reference: { name: '@ethereumjs/rlp', work: () => RLP.encode(items as never), per: 1_000 },
  };
}

/**
 * A token's balanceOf: keccak, storage read, memory, jumps. @ethereumjs/evm is asynchronous, so it
 * is timed separately.
 */
async function evmCase(): Promise<Case> {
  const data = balanceData(SENDER);
  const rules = rulesOfFork('istanbul');
  const world = worldOf([
    { address: SENDER, balance: ETHER },
    { address: CONTRACT, balance: 0n, nonce: 1n, code: TOKEN_CODE },
  ]);
  const message = { caller: SENDER, to: CONTRACT, value: 0n, data, gas: 100_000n };
  const run = () => {
    world.beginTransaction();
    return execute(message, environmentOf(world, rules));
  };
  const evm = await createEVM({
    common: new Common({ chain: Mainnet, hardfork: Hardfork.Istanbul }),
    stateManager: new SimpleStateManager(),
  });
  const contract = new TheirAddress(CONTRACT);
  await evm.stateManager.putAccount(contract, createAccount({ nonce: 1n }));
  await evm.stateManager.putCode(contract, TOKEN_CODE);
  const call = () =>
    evm.runCall({ to: contract, caller: new TheirAddress(SENDER), data, gasLimit: 100_000n });
  const ours = run();
  const theirs = (await call()).execResult;
  agree('evm', equalBytes(ours.output, theirs.returnValue));
  agree('evm gas', 100_000n - ours.gasLeft === theirs.executionGasUsed);
  return { name: 'evm: balanceOf of a token', work: run };
}

async function trieCase(): Promise<Case> {
  const entry = (index: number, value: number): TrieChange => [
    keccak256(Uint8Array.of(index, index >> 8, index >> 16)),
    new Uint8Array(70).fill(value),
  ];
  const sorted = (changes: TrieChange[]) => changes.sort(([a], [b]) => compareBytes(a, b));
  const small = sorted(Array.from({ length: 500 }, (_, i) => entry(i, 1)));
  const theirs = await createMPT();
  for (const [key, value] of small) await theirs.put(key, value!);
  agree(
    'trie',
    equalBytes(Trie.empty().update(small).hash(Number.POSITIVE_INFINITY)!, theirs.root()),
  );
  const base = Trie.empty().update(
    sorted(Array.from({ length: TRIE_ACCOUNTS }, (_, i) => entry(i, 1))),
  );
  base.hash(Number.POSITIVE_INFINITY);
  const changes = sorted(Array.from({ length: TRIE_CHANGES }, (_, i) => entry(i * 97, 2)));
  return {
    name: `trie of ${TRIE_ACCOUNTS}: change and hash one of ${TRIE_CHANGES} leaves`,
    work: () => base.update(changes).hash(Number.POSITIVE_INFINITY),
    per: TRIE_CHANGES,
  };
}

function frameCase(): Case {
  const [left, right] = sessionPair();
  const bytes = Uint8Array.from({ length: 16_384 }, (_, i) => (i * i) >> 3);
  const pass = () => {
    right.push(left.encode(0x12, bytes));
    return nextFrame(right, 1 << 20)!;
  };
  agree('frame', equalBytes(pass().bytes, bytes));
  return { name: 'RLPx frame of 16 KB, both ways', work: pass };
}

async function secretboxCase(): Promise<Case> {
  const crypto = await loadEnclaveCrypto();
  const [message, nonce, key] = [
    new Uint8Array(1024).fill(1),
    new Uint8Array(24).fill(2),
    new Uint8Array(32).fill(3),
  ];
  const theirs = () => xsalsa20poly1305(key, nonce).encrypt(message);
  agree('secretbox', equalBytes(crypto.seal(message, nonce, key), theirs()));
  return {
    name: 'secretbox of 1 KB',
    work: () => crypto.seal(message, nonce, key),
    reference: { name: 'noble', work: theirs },
  };
}

/**
 * Appends blocks of 200 transfers with a sync each; the figure is per transaction. The reopened
 * store must have the same head.
 */
async function storeFigure(yardstick: { name: string; work: Work }): Promise<Figure> {
  const topology = topologyOf(temporaryFolder(), 0);
  const folder = `${topology.folder}/chain`;
  const chain = await BenchChain.open(folder, writeGenesis(topology), topology);
  const account = new Account(fromHex(topology.accounts[0]!.privateKey));
  const runs: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < 12; run++) {
    const transactions = Array.from({ length: 200 }, (_, i) =>
      account.sign(1337n, {
        to: keccak256(Uint8Array.of(i, run)).subarray(12),
        value: 1n,
        gasLimit: 21_000n,
      }),
    );
    const header = chain.template();
    const execution = chain.execution(header, transactions);
    execution.advance();
    const result = execution.result();
    const block = chain.seal(header, transactions, result);
    const start = performance.now();
    await chain.append(block, result);
    runs.push(((performance.now() - start) * 1e6) / 200);
    theirs.push(nanoseconds(yardstick.work));
  }
  const { hash } = chain.head();
  await chain.opened.close();
  const again = await openChain(folder);
  agree('store', equalBytes(again.store.head()!.hash, hash));
  await again.close();
  return {
    name: 'store: append and sync, a transaction',
    unit: 'ns',
    runs: runs.slice(2),
    reference: { name: yardstick.name, runs: theirs.slice(2) },
  };
}
