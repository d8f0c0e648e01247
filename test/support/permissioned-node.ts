/** A node in memory on a network whose permissions were recorded with GoQuorum; from the last recorded block on it makes its own. */
import type { Address } from '../../src/core/base/bytes.ts';
import { fromHex } from '../../src/core/base/hex.ts';
import type { Block } from '../../src/core/chain/block.ts';
import { signTransaction } from '../../src/core/chain/signing.ts';
import { decodeTransaction, type Transaction } from '../../src/core/chain/transaction.ts';
import { systemTimers } from '../../src/io/host/timers.ts';
import type { NetworkPermissions } from '../../src/services/ledger/node/permission/network-permissions.ts';
import { type RecordedPermissions, recordedPermissions } from './recorded-permissions.ts';
import { type RpcNode, rpcNode } from './rpc-node.ts';

type Key = RecordedPermissions['keys'][number];

/** What the accounts of the recording have become at its end. */
export interface Cast {
  /** Network administrators. */
  readonly admins: readonly [Key, Key, Key, Key];
  /** Administrators of ORG1 and ORG2. */
  readonly org1Admin: Key;
  readonly org2Admin: Key;
  /** Of ORG1: may do everything, and nothing. */
  readonly full: Key;
  readonly reader: Key;
}

function castOf({ keys }: RecordedPermissions): Cast {
  const at = (place: number) => keys[place]!;
  return {
    admins: [at(1), at(2), at(3), at(9)],
    org1Admin: at(8),
    org2Admin: at(5),
    full: at(6),
    reader: at(7),
  };
}

export interface Sending {
  readonly to?: Address;
  readonly data?: Uint8Array;
  readonly value?: bigint;
  /** What follows the sender's transactions in the pool where it is absent. */
  readonly nonce?: bigint;
}

export class PermissionedNode {
  readonly recorded: RecordedPermissions;
  readonly rpc: RpcNode;

  private constructor(recorded: RecordedPermissions, rpc: RpcNode) {
    this.recorded = recorded;
    this.rpc = rpc;
  }

  /** At the end of the recording, as the node of `place` (0 and 1: ADMINORG, validators; 2: ORG1; 3: ORG2). */
  static async open(model: 'v1' | 'v2', place = 0): Promise<PermissionedNode> {
    const recorded = recordedPermissions(model);
    const { genesis, config, nodes, blocks } = recorded;
    const { priv, pub } = nodes[place]!;
    const rpc = await rpcNode({
      genesis,
      blocks,
      secretKey: fromHex(priv),
      permissions: { config, isRaft: false, nodeId: pub, comparesAddress: true },
      argv: ['--permissioned'],
    });
    return new PermissionedNode(recorded, rpc);
  }

  get permissions(): NetworkPermissions {
    return this.rpc.node.permissions!;
  }

  get cast(): Cast {
    return castOf(this.recorded);
  }

  close(): Promise<void> {
    return this.rpc.close();
  }

  signed({ priv, address }: Key, { to, data, value, nonce }: Sending): Transaction {
    const { chain, pool } = this.rpc.node;
    const fields = {
      nonce: nonce ?? pool.nonceOf(fromHex(address)),
      gasLimit: 4_000_000n,
      ...(to ? { to } : {}),
      ...(data ? { data } : {}),
      ...(value === undefined ? {} : { value }),
    };
    const options = { chainId: chain.config.chainId! };
    return decodeTransaction(signTransaction(fields, fromHex(priv), options).raw);
  }

  /** As a peer that hears of them gives them to this node. */
  async hear(...transactions: readonly Transaction[]): Promise<void> {
    this.rpc.node.intake.receive('peer', transactions);
    for (let turn = 0; turn < 3; turn++)
      await new Promise<void>((done) => systemTimers.yield(done));
  }

  /** A transaction to the network's contracts, heard of. */
  async act(from: Key, data: Uint8Array): Promise<Transaction> {
    const transaction = this.signed(from, { to: this.recorded.config.addresses.interface, data });
    await this.hear(transaction);
    return transaction;
  }

  /** The block that this node would propose now. */
  async propose(): Promise<Block> {
    const { bft, builder } = this.rpc.node;
    const bounds = { blockMs: 60_000, transactionMs: 60_000 };
    const template = bft!.template();
    const address = template.coinbase;
    const proposer = { address, seal: <T>(header: T) => header };
    const built = await builder.build(template, proposer, () => true, bounds);
    return built!.block;
  }

  /** Proposes a block, and decides it. */
  async mine(): Promise<Block> {
    const block = await this.propose();
    await this.rpc.node.chain.commit(block, 'group');
    return block;
  }
}
