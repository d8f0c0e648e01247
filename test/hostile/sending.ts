/** The attacker's transactions, from new accounts, and honest transactions; gas is free. */
import { randomBytes } from 'node:crypto';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { signTransaction } from '../../src/core/chain/signing.ts';
import type { BftNode } from '../support/bft-processes.ts';
import { until } from '../support/conditions.ts';
import { CHAIN_ID, testSecretKey } from '../support/genesis-file.ts';
import type { HostileNetwork } from './network.ts';

const HONEST = fromHex(testSecretKey(0x11));
const RECIPIENT = `0x${'11'.repeat(20)}`;
/** Less than the gas limit of a block. */
export const MUCH_GAS = 900_000_000n;

export interface Sent {
  readonly hash: string;
  readonly key: Uint8Array;
}

/** A creation that runs `code`. */
export async function create(
  node: BftNode,
  code: string,
  { gas = MUCH_GAS, key = new Uint8Array(randomBytes(32)), nonce = 0n } = {},
): Promise<Sent> {
  const fields = { nonce, gasLimit: gas, data: fromHex(code) };
  const { raw } = signTransaction(fields, key, { chainId: BigInt(CHAIN_ID) });
  return { hash: await node.rpc.call('eth_sendRawTransaction', toHex(raw)), key };
}

export function honestAddress(): string {
  return toHex(addressOfSecretKey(HONEST));
}

/**
 * Sends a transfer, and resolves with the number of blocks until it was mined; throws where it was
 * not mined within `patienceMs`.
 */
export async function honestTransfer(
  network: HostileNetwork,
  patienceMs = 20_000,
): Promise<number> {
  const { rpc } = network.bystander;
  const before = Number(await rpc.call('eth_blockNumber'));
  const nonce = BigInt(await rpc.call('eth_getTransactionCount', honestAddress(), 'latest'));
  const fields = { nonce, gasLimit: 21_000n, to: fromHex(RECIPIENT), value: 1n };
  const { raw, hash } = signTransaction(fields, HONEST, { chainId: BigInt(CHAIN_ID) });
  // An earlier one that was not mined in time is still in the pool, and identical.
  await rpc.call('eth_sendRawTransaction', toHex(raw)).catch((error: Error) => {
    if (!error.message.includes('already known')) throw error;
  });
  const number = await until(
    'an honest transfer is mined',
    async () => {
      const receipt = await rpc.call<any>('eth_getTransactionReceipt', toHex(hash));
      return receipt?.blockNumber as string | undefined;
    },
    patienceMs,
  );
  return Number(number) - before;
}

/**
 * Sends honest transfers one after the other until it is over. Resolves with the most blocks that
 * one of them took.
 */
export async function honestUntil(network: HostileNetwork, isOver: () => boolean): Promise<number> {
  let most = 0;
  while (!isOver()) most = Math.max(most, await honestTransfer(network));
  return most;
}
