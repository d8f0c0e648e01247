/** A chain with a block period of one second, and transfers between two of its accounts. */

import { fromHex } from '../../src/core/base/hex.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { signTransaction } from '../../src/core/chain/signing.ts';
import { PUBLIC_SPACE } from '../../src/core/store/interface.ts';
import { devnetGenesis } from '../../src/services/devnet/genesis.ts';
import type { MemoryNode } from './memory-network.ts';
import { TOPOLOGY } from './validator-network.ts';

export const GENESIS = genesisFromJson(
  devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 }),
);

export const RICH = fromHex(TOPOLOGY.accounts[0]!.privateKey);

export const FRIEND = fromHex(TOPOLOGY.accounts[1]!.address);

export function transfer(nonce: number, value = 1n) {
  return signTransaction({ nonce: BigInt(nonce), gasLimit: 21_000n, to: FRIEND, value }, RICH, {
    chainId: 1337n,
  });
}

export function balanceOf(node: MemoryNode, who: Uint8Array): bigint {
  return (
    node.chain.store.stateAt(PUBLIC_SPACE, node.chain.head().number).account(who)?.balance ?? 0n
  );
}
