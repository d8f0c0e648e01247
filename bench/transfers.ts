/**
 * A chain of transfers, each to a new account, built and sealed in a data folder with all
 * validators' keys.
 */
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { CHAIN_ID, type Topology } from '../src/services/devnet/topology.ts';
import { Account, BenchChain } from './chain.ts';

/** Returns the hash of the head. */
export async function buildTransfers(
  folder: string,
  genesis: string,
  topology: Topology,
  { blocks, perBlock }: { readonly blocks: number; readonly perBlock: number },
): Promise<string> {
  const chain = await BenchChain.open(folder, genesis, topology);
  const account = new Account(fromHex(topology.accounts[0]!.privateKey));
  for (let number = 1; number <= blocks; number++) {
    const transactions = Array.from({ length: perBlock }, (_, index) => {
      const to = keccak256(Uint8Array.of(index, number, number >> 8)).subarray(12);
      return account.sign(BigInt(CHAIN_ID), { to, value: 1n, gasLimit: 21_000n });
    });
    await chain.grow(transactions, 'group');
  }
  const { hash } = chain.head();
  await chain.opened.close();
  return toHex(hash);
}
