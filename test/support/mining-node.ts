/** A single validator in memory, which makes blocks and has one unlocked, funded account. */

import { toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { resolveManagerConfig } from '../../src/io/ptm-client/config.ts';
import { connectManager } from '../../src/io/ptm-client/connect.ts';
import { FREE_GAS } from '../../src/services/devnet/commands.ts';
import { devnetGenesis } from '../../src/services/devnet/genesis.ts';
import type { Accounts } from '../../src/services/ledger/node/sending/accounts.ts';
import { fastTime } from './fast-time.ts';
import { until } from './ptm.ts';
import { type RpcNode, rpcNode } from './rpc-node.ts';

export const VALIDATOR = new Uint8Array(32).fill(7);
export const ACCOUNT = new Uint8Array(32).fill(9);
export const FROM = toHex(addressOfSecretKey(ACCOUNT));

/** The block period of one second takes 50 ms. */
const FASTER = 20;

export interface MiningNodeOptions {
  /** The URL of its manager; absent: it has none. */
  readonly q2tUrl?: string | undefined;
  readonly argv?: readonly string[];
  readonly emptyBlockPeriodSeconds?: number;
  /** False: gas is free, as on a GoQuorum network whose genesis does not set a price. */
  readonly hasGasPrice?: boolean;
  /** Replaces the account. */
  readonly wallet?: Accounts;
}

export async function miningNode({
  q2tUrl,
  argv = [],
  emptyBlockPeriodSeconds = 0,
  hasGasPrice = true,
  wallet,
}: MiningNodeOptions): Promise<RpcNode> {
  const parts = {
    consensus: 'qbft',
    nodes: [{ address: toHex(addressOfSecretKey(VALIDATOR)) }],
    funded: [FROM],
  } as const;
  const periods = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds };
  const manager =
    q2tUrl &&
    (await connectManager(resolveManagerConfig('ignore', { 'ptm.url': q2tUrl }), {
      say: () => {},
    }));
  const genesis = devnetGenesis(parts, periods) as { config: object };
  if (!hasGasPrice) genesis.config = { ...genesis.config, enableGasPriceBlock: undefined };
  const node = await rpcNode({
    genesis: genesisFromJson(genesis),
    secretKey: VALIDATOR,
    isMining: true,
    time: fastTime(FASTER),
    ...(manager ? { manager } : {}),
    ...(wallet ? { wallet } : {}),
    argv: [...(hasGasPrice ? FREE_GAS : []), ...argv],
  });
  await node.accounts.unlock(await node.accounts.importKey(ACCOUNT, 'test'), 'test', 0);
  return node;
}

/** Waits for a transaction's receipt. */
export async function mined(node: RpcNode, hash: string): Promise<any> {
  let receipt: any = null;
  await until(async () => {
    receipt = await node.call('eth_getTransactionReceipt', hash);
    return receipt !== null;
  }, `${hash} is mined`);
  return receipt;
}
