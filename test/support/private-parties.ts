/** Nodes in memory, each with an account and a manager, that share and extend private contracts. */
import { inspect } from 'node:util';
import { type Address, type Hash32, keyOf } from '../../src/core/base/bytes.ts';
import { fromHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey, sign65 } from '../../src/core/base/secp256k1.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import type { PrivacyFlag } from '../../src/core/privacy/inputs.ts';
import type { Manager, OutgoingPayload } from '../../src/core/privacy/manager-port.ts';
import type { MemoryDisk } from '../../src/io/storage/memory.ts';
import { MemoryKv } from '../../src/io/storage/memory-kv.ts';
import { devnetGenesis } from '../../src/services/devnet/genesis.ts';
import { topologyOf } from '../../src/services/devnet/topology.ts';
import {
  composeExtensions,
  type Extensions,
} from '../../src/services/ledger/node/compose-extension.ts';
import type { Accounts } from '../../src/services/ledger/node/sending/accounts.ts';
import { PoolReader } from '../../src/services/ledger/node/sending/pool-reader.ts';
import { PrivateSender } from '../../src/services/ledger/node/sending/private-sender.ts';
import type { TransactionArgs } from '../../src/services/ledger/node/sending/send-args.ts';
import { Sender } from '../../src/services/ledger/node/sending/sender.ts';
import { MemoryManagers, memoryKey } from './memory-managers.ts';
import { MemoryHub, type MemoryNode, memoryNode } from './memory-network.ts';
import { STORE_CODE, setInput } from './store-contract.ts';
import { VirtualTime } from './virtual-time.ts';

const TOPOLOGY = topologyOf('unused', undefined);
const GENESIS_FILE = devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 });
const GENESIS = genesisFromJson(GENESIS_FILE);
const START_MS = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;
export const PSI = 'private';
export const QUORUM = { psi: PSI, rules: 'quorum' } as const;

export class Party {
  readonly key: string;
  readonly secretKey: Uint8Array;
  readonly account: Address;
  readonly node: MemoryNode;
  readonly manager: Manager;
  /** The payloads that its manager was asked to distribute. */
  readonly sent: OutgoingPayload[] = [];
  readonly sender: Sender;
  readonly extensions: Extensions;
  isLocked = false;
  /** Accounts without the permission to extend contracts, by keyOf(address). */
  readonly powerless: Set<string> = new Set();

  constructor(index: number, node: MemoryNode, given: Manager, time: VirtualTime, kv: MemoryKv) {
    const manager: Manager = {
      ...given,
      send: (payload) => {
        this.sent.push(payload);
        return given.send(payload);
      },
    };
    this.manager = manager;
    this.key = memoryKey(index);
    this.secretKey = new Uint8Array(32).fill(index + 0x21);
    this.account = addressOfSecretKey(this.secretKey);
    this.node = node;
    const refuse = () => Promise.reject(new Error('not in this test'));
    const wallet: Accounts = {
      addresses: () => [this.account],
      sign: (_, hash) => {
        if (this.isLocked) throw new Error('authentication needed: password or unlock');
        return sign65(hash, this.secretKey);
      },
      signWithPassword: refuse,
      unlock: refuse,
      lock: () => {},
      create: refuse,
      importKey: refuse,
    };
    this.sender = new Sender({
      ...node,
      accounts: wallet,
      private: new PrivateSender({
        chain: node.chain,
        manager,
        follower: node.follower,
        psi: PSI,
        members: undefined,
      }),
      isMarking: false,
      estimateGas: () => Promise.resolve(1_000_000n),
      feeCapWei: 0n,
      gasPrices: { suggest: () => 0n },
      allowsUnprotected: true,
    });
    const parts = {
      ...node,
      permissions: { isAdmin: (account: Address) => !this.powerless.has(keyOf(account)) },
      manager,
      submitterOf: () => this.sender,
      wallet,
      pool: new PoolReader(node.pool),
      membersOf: () => undefined,
      kv,
      timers: time,
      log: () => {},
    };
    this.extensions = composeExtensions(parts)!;
    this.extensions.agent.start();
  }

  get requests() {
    return this.extensions.requests;
  }

  send(
    args: Partial<TransactionArgs>,
    to: readonly Party[],
    flag: PrivacyFlag = 0,
  ): Promise<Hash32> {
    return this.sender.send(this.args(args, to, flag));
  }

  args(
    args: Partial<TransactionArgs>,
    to: readonly Party[],
    flag: PrivacyFlag = 0,
  ): TransactionArgs {
    const none = Object.fromEntries(FIELDS.map((name) => [name, undefined])) as never;
    const privateFor = to.map(({ key }) => key);
    const mandatoryFor = flag === 2 ? privateFor.slice(0, 1) : undefined;
    return {
      ...(none as TransactionArgs),
      from: this.account,
      private: { privateFrom: undefined, privateFor, flag, mandatoryFor },
      ...args,
    };
  }

  private state() {
    const { store } = this.node.chain;
    const space = { kind: 'private', psi: PSI } as const;
    return store.stateAt(space, store.cursor(space));
  }

  slot(contract: Address): bigint | undefined {
    const state = this.state();
    const account = state.account(contract);
    return account && state.code(account.codeHash).length > 0
      ? state.slot(contract, account, 0n)
      : undefined;
  }

  metadata(contract: Address) {
    return this.state().metadata(contract);
  }

  receipt(hash: Hash32) {
    const place = this.node.chain.store.transactionByHash(hash);
    return (
      place && this.node.chain.store.privateRecord(PSI, place.block)?.receipts.get(place.index)
    );
  }
}

const FIELDS = [
  'from to gas gasPrice maxFeePerGas maxPriorityFeePerGas value nonce data input accessList chainId private',
].flatMap((names) => names.split(' '));

export class PrivateNetwork {
  readonly time = new VirtualTime(START_MS);
  readonly hub = new MemoryHub(this.time);
  readonly managers = new MemoryManagers();
  readonly parties: Party[] = [];
  readonly genesisFile = GENESIS_FILE;
  /** All log lines of the nodes. */
  readonly said: string[] = [];
  private readonly kvs: MemoryKv[] = [];

  async start(count = 4): Promise<void> {
    for (let index = 0; index < count; index++) this.parties.push(await this.party(index));
  }

  async party(index: number, disk?: MemoryDisk): Promise<Party> {
    const manager = this.managers.manager(memoryKey(index));
    const node = await memoryNode({
      hub: this.hub,
      genesis: GENESIS,
      secretKey: TOPOLOGY.nodes[index]!.nodeKey,
      manager,
      log: (...line) => this.said.push(inspect(line, { depth: null })),
      ...(disk ? { disk } : {}),
    });
    this.kvs[index] ??= new MemoryKv();
    return new Party(index, node, manager, this.time, this.kvs[index]);
  }

  until(isDone: () => boolean, what: string): Promise<void> {
    return this.time.until(isDone, MINUTE_MS, what);
  }

  async stop(): Promise<void> {
    for (const { extensions, node } of this.parties.splice(0)) {
      await extensions.agent.stop();
      await node.stop();
    }
  }

  /** A contract with value 42, of `owner` and `others`. */
  async contract(owner: Party, others: readonly Party[], flag: PrivacyFlag): Promise<Address> {
    const hash = await owner.send({ data: fromHex(STORE_CODE) }, others, flag);
    await this.until(() => owner.receipt(hash) !== undefined, 'the contract is there');
    const address = owner.receipt(hash)!.contractAddress!;
    const set = { to: address, data: fromHex(setInput(42)) };
    const done = await owner.send(set, others, flag);
    await this.until(
      () => [owner, ...others].every((each) => each.receipt(done) && each.slot(address) === 42n),
      'the contract holds 42',
    );
    return address;
  }

  async extend(from: Party, to: Party, contract: Address, witnesses: readonly Party[] = []) {
    const terms = { toExtend: contract, recipient: to.account, recipientKey: to.key };
    const hash = await from.requests.extend(QUORUM, terms, from.args({}, [to]));
    await this.until(
      () => [from, to, ...witnesses].every((each) => each.receipt(hash)),
      'the management contract is there',
    );
    const manager = from.receipt(hash)!.contractAddress!;
    await this.until(() => hasVoted(to, manager, from.account), 'the initiator has voted');
    return manager;
  }
}

export function hasVoted(party: Party, manager: Address, voter: Address): boolean {
  return party.requests.management(PSI, manager).hasVoted(voter);
}
