/**
 * A node in memory on a network whose permissions were recorded with GoQuorum; after the last
 * recorded block it makes its own.
 */
import { encodeAbi } from '../../src/core/base/abi.ts';
import { type Address, concatBytes, equalBytes } from '../../src/core/base/bytes.ts';
import { fromHex } from '../../src/core/base/hex.ts';
import type { Block } from '../../src/core/chain/block.ts';
import { parseGenesis } from '../../src/core/chain/genesis.ts';
import { signTransaction } from '../../src/core/chain/signing.ts';
import { decodeTransaction, type Transaction } from '../../src/core/chain/transaction.ts';
import { createAddress } from '../../src/core/evm/create-address.ts';
import { callOf } from '../../src/core/permission/abi.ts';
import type { PermissionConfig } from '../../src/core/permission/config.ts';
import { parseEnode } from '../../src/core/wire/enode.ts';
import { systemTimers } from '../../src/io/host/timers.ts';
import type { NetworkPermissions } from '../../src/services/ledger/node/permission/network-permissions.ts';
import {
  MANAGERS,
  type PermissionContract,
  permissionCode,
} from '../../src/services/permission/code.ts';
import { nodeCalls } from '../../src/services/permission/node-calls.ts';
import { type RecordedPermissions, recordedPermissions } from './recorded-permissions.ts';
import { type RpcNode, rpcNode } from './rpc-node.ts';

export type NetworkKey = RecordedPermissions['keys'][number];

/** The accounts of the recording, by their role at its end. */
export interface Cast {
  /** Network administrators. */
  readonly admins: readonly [NetworkKey, NetworkKey, NetworkKey, NetworkKey];
  /** Administrators of ORG1 and ORG2. */
  readonly org1Admin: NetworkKey;
  readonly org2Admin: NetworkKey;
  /** Accounts of ORG1: one with all rights, one with none. */
  readonly full: NetworkKey;
  readonly reader: NetworkKey;
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

function withRules(recorded: RecordedPermissions, rules: object): RecordedPermissions {
  const file = JSON.parse(recorded.genesisText);
  Object.assign(file.config, rules);
  const genesisText = JSON.stringify(file);
  return { ...recorded, genesisText, genesis: parseGenesis(genesisText) };
}

export interface Sending {
  readonly to?: Address;
  readonly data?: Uint8Array;
  readonly value?: bigint;
  /** Absent: the next nonce of the sender, counting the pool. */
  readonly nonce?: bigint;
}

export class PermissionedNode {
  readonly recorded: RecordedPermissions;
  readonly rpc: RpcNode;
  readonly config: PermissionConfig;

  private constructor(recorded: RecordedPermissions, rpc: RpcNode, config: PermissionConfig) {
    this.recorded = recorded;
    this.rpc = rpc;
    this.config = config;
  }

  /**
   * Opens the recording at its end as the first node: a validator of ADMINORG. `rules` replace
   * settings of the genesis file.
   */
  static open(
    model: 'v1' | 'v2',
    configOf = (config: PermissionConfig): PermissionConfig => config,
    rules: object = {},
  ): Promise<PermissionedNode> {
    const recorded = withRules(recordedPermissions(model), rules);
    return PermissionedNode.on(recorded, configOf(recorded.config), recorded.blocks);
  }

  /**
   * A network of the same accounts with contracts of ours: the guardian deploys them, and
   * initialises them with three administrators and two nodes, of which this is the first.
   * `isBooted`: the last step is done, and the rules are in force.
   */
  static async openOurs(
    model: 'v1' | 'v2',
    { isBooted } = { isBooted: true },
  ): Promise<PermissionedNode> {
    const recorded = recordedPermissions(model);
    const [guardian, ...admins] = recorded.keys.slice(0, 4) as [NetworkKey, ...NetworkKey[]];
    const at = (nonce: number) => createAddress(fromHex(guardian.address), BigInt(nonce));
    const managers = MANAGERS.map((_, index) => at(1 + index));
    const [orgs, roles, accounts, voters, nodes] = managers as [
      Address,
      Address,
      Address,
      Address,
      Address,
    ];
    const [upgradable, door, implementation] = [at(0), at(6), at(7)];
    const addresses = { upgradable, implementation, orgs, roles, accounts, voters, nodes };
    const config = { ...recorded.config, addresses: { ...addresses, interface: door } };
    const network = await PermissionedNode.on(recorded, config, []);
    const deploy = (name: PermissionContract, ...args: Address[]) =>
      concatBytes(fromHex(permissionCode(model, name)), encodeAbi(args));
    const send = (data: Uint8Array, to?: Address) =>
      network.hear(network.signed(guardian, { data, ...(to ? { to } : {}) }));
    await send(deploy('PermissionsUpgradable', fromHex(guardian.address)));
    for (const name of [...MANAGERS, 'PermissionsInterface'] as const)
      await send(deploy(name, upgradable));
    await send(deploy('PermissionsImplementation', upgradable, ...managers));
    await send(callOf('init(address,address)')(door, implementation), upgradable);
    const { networkAdminOrg, networkAdminRole, orgAdminRole } = config;
    await send(
      callOf('setPolicy(string,string,string)')(networkAdminOrg, networkAdminRole, orgAdminRole),
      door,
    );
    await send(callOf('init(uint256,uint256)')(4n, 4n), door);
    const { addAdminNode } = nodeCalls(model);
    for (const { pub } of recorded.nodes.slice(0, 2)) {
      await send(addAdminNode(parseEnode(`enode://${pub}@127.0.0.1:30303`)), door);
    }
    for (const { address } of admins) {
      await send(callOf('addAdminAccount(address)')(fromHex(address)), door);
    }
    if (isBooted) await network.hear(network.signed(guardian, network.bootCall()));
    // Advances to the block in which permissions begin.
    const { chain } = network.rpc.node;
    const isDue = () => chain.rulesOf(chain.head().header).isEnhancedPermissioning;
    while (network.permissions.isEnforced !== isBooted || !isDue()) await network.mine();
    return network;
  }

  /**
   * Another node of the same network with all its blocks. `place` is its index among the recorded
   * nodes: the first two are validators, the third is of ORG1, the fourth of ORG2.
   */
  another(place = 0): Promise<PermissionedNode> {
    const { store } = this.rpc.node.chain;
    const { number } = store.head()!;
    const blocks = Array.from({ length: number }, (_, at) => store.block(at + 1)!);
    return PermissionedNode.on(this.recorded, this.config, blocks, place);
  }

  private static async on(
    recorded: RecordedPermissions,
    config: PermissionConfig,
    blocks: readonly Block[],
    place = 0,
  ): Promise<PermissionedNode> {
    const { genesis, nodes } = recorded;
    const { priv, pub } = nodes[place]!;
    const rpc = await rpcNode({
      ...{ genesis, blocks },
      secretKey: fromHex(priv),
      permissions: { config, isRaft: false, nodeId: pub, comparesAddress: true },
      argv: ['--permissioned'],
    });
    return new PermissionedNode(recorded, rpc, config);
  }

  get permissions(): NetworkPermissions {
    return this.rpc.node.permissions!;
  }

  get cast(): Cast {
    return castOf(this.recorded);
  }

  /** The account that deployed the contracts. */
  get guardian(): NetworkKey {
    return this.recorded.keys[0]!;
  }

  /** Gives the guardian, who has no administrator role, a role with all rights. */
  async permitGuardian(): Promise<void> {
    const { networkAdminOrg: org } = this.config;
    const [admin] = this.cast.admins;
    const addRole = callOf('addNewRole(string,string,uint256,bool,bool)');
    const assign = callOf('assignAccountRole(address,string,string)');
    await this.act(admin, addRole('KEEPER', org, 3n, false, false));
    await this.act(admin, assign(fromHex(this.guardian.address), org, 'KEEPER'));
    await this.mine();
  }

  /** The guardian deploys a contract in a new block; returns its address. */
  async deploy(data: Uint8Array): Promise<Address> {
    const creation = this.signed(this.guardian, { data });
    await this.hear(creation);
    await this.mine();
    return createAddress(creation.sender, creation.nonce);
  }

  /** The transaction that puts the rules in force. */
  bootCall(): Sending {
    const to = this.config.addresses.interface;
    return { to, data: callOf('updateNetworkBootStatus()')() };
  }

  /**
   * The init code that deploys the implementation once more, over the same records, as in the
   * original deployment.
   */
  implementationCode(): Uint8Array {
    const { store } = this.rpc.node.chain;
    const { implementation } = this.config.addresses;
    for (let number = store.head()!.number; number > 0; number--) {
      const creation = store
        .block(number)!
        .transactions.find(
          ({ to, sender, nonce }) =>
            !to && equalBytes(createAddress(sender, nonce), implementation!),
        );
      if (creation) return creation.data;
    }
    throw new Error('no transaction has deployed the implementation');
  }

  lastBlock(): Block {
    const { store } = this.rpc.node.chain;
    return store.block(store.head()!.number)!;
  }

  close(): Promise<void> {
    return this.rpc.close();
  }

  signed({ priv, address }: NetworkKey, { to, data, value, nonce }: Sending): Transaction {
    const { chain, pool } = this.rpc.node;
    const fields = {
      nonce: nonce ?? pool.nonceOf(fromHex(address)),
      gasLimit: 10_000_000n,
      ...(to ? { to } : {}),
      ...(data ? { data } : {}),
      ...(value === undefined ? {} : { value }),
    };
    const options = { chainId: chain.config.chainId! };
    return decodeTransaction(signTransaction(fields, fromHex(priv), options).raw);
  }

  /** Adds transactions as if a peer had sent them. */
  async hear(...transactions: readonly Transaction[]): Promise<void> {
    this.rpc.node.intake.receive('peer', transactions);
    for (let turn = 0; turn < 3; turn++)
      await new Promise<void>((done) => systemTimers.yield(done));
  }

  /** Sends a transaction to the network's contracts, as if from a peer. */
  async act(
    from: NetworkKey,
    data: Uint8Array,
    to: Address = this.config.addresses.interface,
  ): Promise<Transaction> {
    const transaction = this.signed(from, { to, data });
    await this.hear(transaction);
    return transaction;
  }

  /** The block that this node would propose now. */
  async propose(): Promise<Block> {
    const { bft, builder } = this.rpc.node;
    const bounds = { blockMs: 60_000, transactionMs: 60_000, provenMs: 60_000 };
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
