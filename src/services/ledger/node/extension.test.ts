/** Extensions on networks of nodes in memory, from the first call to the state at the new party. */
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryManagers, memoryKey } from '../../../../test/support/memory-managers.ts';
import { MemoryHub, type MemoryNode, memoryNode } from '../../../../test/support/memory-network.ts';
import { STORE_CODE, setInput } from '../../../../test/support/store-contract.ts';
import { VirtualTime } from '../../../../test/support/virtual-time.ts';
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { addressOfSecretKey, sign65 } from '../../../core/base/secp256k1.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import type { Manager } from '../../../core/ports.ts';
import type { PrivacyFlag } from '../../../core/privacy/inputs.ts';
import type { MemoryDisk } from '../../../io/storage/memory.ts';
import { MemoryKv } from '../../../io/storage/memory-kv.ts';
import { devnetGenesis } from '../../devnet/genesis.ts';
import { topologyOf } from '../../devnet/topology.ts';
import { composeExtensions, type Extensions } from './extension.ts';
import { PrivateSender } from './private-sender.ts';
import type { TransactionArgs } from './send-desk.ts';
import { Sender } from './sender.ts';

const TOPOLOGY = topologyOf('unused', undefined);
const GENESIS = genesisFromJson(
  devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 }),
);
const START_MS = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;
const PSI = 'private';
const QUORUM = { psi: PSI, rules: 'quorum' } as const;

class Party {
  readonly key: string;
  readonly secretKey: Uint8Array;
  readonly account: Address;
  readonly node: MemoryNode;
  readonly sender: Sender;
  readonly extensions: Extensions;
  isLocked = false;

  constructor(index: number, node: MemoryNode, manager: Manager, time: VirtualTime, kv: MemoryKv) {
    this.key = memoryKey(index);
    this.secretKey = new Uint8Array(32).fill(index + 0x21);
    this.account = addressOfSecretKey(this.secretKey);
    this.node = node;
    const refuse = () => Promise.reject(new Error('not in this test'));
    this.sender = new Sender({
      ...node,
      accounts: {
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
      },
      private: new PrivateSender({
        chain: node.chain,
        manager,
        follower: node.follower,
        psi: PSI,
        members: undefined,
      }),
      eea: { send: refuse, createGroup: refuse, findGroups: refuse, deleteGroup: refuse },
      isMarking: false,
      estimateGas: () => 1_000_000n,
      feeCapWei: 0n,
      gasPrices: { suggest: () => 0n },
      allowsUnprotected: true,
    });
    const parts = {
      ...node,
      manager,
      deskOf: () => this.sender,
      membersOf: () => undefined,
      kv,
      timers: time,
      log: () => {},
    };
    this.extensions = composeExtensions(parts)!;
    this.extensions.agent.start();
  }

  get desk() {
    return this.extensions.desk;
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

class Network {
  readonly time = new VirtualTime(START_MS);
  readonly hub = new MemoryHub(this.time);
  readonly managers = new MemoryManagers();
  readonly parties: Party[] = [];
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

  /** A contract holding 42, of `owner` and `others`. */
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
    const hash = await from.desk.extend(QUORUM, terms, from.args({}, [to]));
    await this.until(
      () => [from, to, ...witnesses].every((each) => each.receipt(hash)),
      'the management contract is there',
    );
    const manager = from.receipt(hash)!.contractAddress!;
    await this.until(() => hasVoted(to, manager, from.account), 'the initiator has voted');
    return manager;
  }
}

function hasVoted(party: Party, manager: Address, voter: Address): boolean {
  return party.desk.management(PSI, manager).hasVoted(voter);
}

const isDone = (party: Party, manager: Address) => () => party.desk.isFinished(PSI, manager);

let network: Network;
afterEach(() => network.stop());

describe('an extension', () => {
  it.each([0, 1, 2, 3] as const)(
    'takes the state of a contract with flag %i to a new party',
    async (flag) => {
      network = new Network();
      await network.start();
      const [one, two, three, four] = network.parties as [Party, Party, Party, Party];
      const contract = await network.contract(one, [two], flag);
      const before = one.metadata(contract)?.creationHash;
      const manager = await network.extend(one, three, contract);
      expect((await one.desk.active(PSI)).map((each) => toHex(each.manager))).toEqual([
        toHex(manager),
      ]);
      expect(await three.desk.active(PSI)).toEqual(await one.desk.active(PSI));
      expect(await four.desk.active(PSI)).toEqual([]);
      expect((await two.desk.active(PSI)).length).toBe(flag === 0 ? 0 : 1);
      const voters = flag === 0 ? [one] : [one, two];
      await three.desk.vote(QUORUM, manager, true, three.args({}, voters));
      await network.until(() => three.slot(contract) === 42n, 'the new party has the contract');
      await network.until(isDone(one, manager), 'the extension has ended');
      expect(await one.desk.active(PSI)).toEqual([]);
      expect(await three.desk.active(PSI)).toEqual([]);
      expect(four.slot(contract)).toBeUndefined();
      expect(three.metadata(contract)?.flag).toBe(flag === 0 ? undefined : flag);
      if (flag === 0) return;
      await network.until(isDone(two, manager), 'the extension has ended at the other party');
      const now = [one, two, three].map((each) => toHex(each.metadata(contract)!.creationHash));
      expect(new Set(now).size).toBe(1);
      expect(now[0]).not.toBe(toHex(before!));
    },
  );

  it('that is cancelled or refused shares nothing', async () => {
    network = new Network();
    await network.start(4);
    const [one, two] = network.parties as [Party, Party];
    const contract = await network.contract(one, [], 0);
    const cancelled = await network.extend(one, two, contract);
    await one.desk.cancel(QUORUM, cancelled, one.args({}, [two]));
    await network.until(isDone(two, cancelled), 'cancelled');
    const refused = await network.extend(one, two, contract);
    await two.desk.vote(QUORUM, refused, false, two.args({}, [one]));
    await network.until(isDone(one, refused), 'refused');
    expect(await one.desk.active(PSI)).toEqual([]);
    expect(two.slot(contract)).toBeUndefined();
  });

  it('goes on after the initiator was locked, its manager down, and its process ended', async () => {
    network = new Network();
    await network.start();
    const [one, two] = network.parties as [Party, Party];
    const contract = await network.contract(one, [], 0);
    const manager = await network.extend(one, two, contract);
    one.isLocked = true;
    network.managers.setDown(one.key, true);
    await two.desk.vote(QUORUM, manager, true, two.args({}, [one]));
    await network.until(() => two.desk.management(PSI, manager).isAccepted, 'all have voted');
    await network.time.pass(5_000);
    expect(isDone(two, manager)()).toBe(false);
    await one.extensions.agent.stop();
    await one.node.kill();
    network.managers.setDown(one.key, false);
    network.parties[0] = await network.party(0, one.node.disk);
    await network.until(() => two.slot(contract) === 42n, 'the new party has the contract');
    expect(await network.parties[0].desk.active(PSI)).toEqual([]);
  });
});

describe('the rules of the seed', () => {
  const LEDGER = { psi: PSI, rules: 'ledger' } as const;

  it('let only the creator of a standard private contract extend it', async () => {
    network = new Network();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [two], 0);
    const terms = { toExtend: contract, recipient: three.account, recipientKey: three.key };
    await expect(two.desk.extend(LEDGER, terms, two.args({}, [three]))).rejects.toThrow(
      'operation not allowed',
    );
    await expect(
      two.desk.extend(
        QUORUM,
        { ...terms, recipientKey: memoryKey(99) },
        two.args({ private: undefined }, []),
      ),
    ).rejects.toThrow('404 status: Recipient not found for key');
    await one.desk.extend(LEDGER, terms, one.args({}, [three]));
  });

  it('answer a second request at once, before the first is in a block', async () => {
    network = new Network();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [], 0);
    const terms = { toExtend: contract, recipient: two.account, recipientKey: two.key };
    const ask = () => one.desk.extend(LEDGER, terms, one.args({}, [two]));
    const twice = await Promise.allSettled([ask(), ask()]);
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(ask()).rejects.toThrow('contract extension in progress');
    const other = { ...terms, recipient: three.account, recipientKey: three.key };
    await expect(one.desk.extend(QUORUM, other, one.args({}, [three]))).rejects.toThrow(
      'contract extension in progress',
    );
    const made = twice.find((each) => each.status === 'fulfilled')!.value;
    await network.until(() => two.receipt(made) !== undefined, 'the extension has begun');
    const manager = two.receipt(made)!.contractAddress!;
    const vote = (rules: typeof LEDGER | typeof QUORUM) =>
      two.desk.vote(rules, manager, true, two.args({}, [one]));
    await expect(two.desk.vote(LEDGER, manager, true, two.args({}, [three]))).rejects.toThrow(
      `privateFor must contain the transaction manager key of the node that initiated the extension: ${one.key}`,
    );
    await vote(LEDGER);
    await expect(vote(LEDGER)).rejects.toThrow('process complete. nothing to accept');
    await expect(vote(QUORUM)).rejects.toThrow('already voted');
    await network.until(() => two.slot(contract) === 42n, 'the new party has the contract');
  });

  it('say who may act before they ask for his wallet', async () => {
    network = new Network();
    await network.start();
    const [one, two] = network.parties as [Party, Party];
    const contract = await network.contract(one, [], 0);
    const manager = await network.extend(one, two, contract);
    const from = new Uint8Array(20).fill(0xaa);
    const vote = (rules: typeof LEDGER | typeof QUORUM) =>
      two.desk.vote(rules, manager, true, two.args({ from }, [one]));
    const cancel = (rules: typeof LEDGER | typeof QUORUM) =>
      two.desk.cancel(rules, manager, two.args({ from }, [one]));
    await expect(vote(LEDGER)).rejects.toThrow('account is not acceptor of this extension request');
    await expect(cancel(LEDGER)).rejects.toThrow('account is not the creator of this extension');
    await expect(vote(QUORUM)).rejects.toThrow('no wallet found for account 0xaAaAaAaaAaAaAaaA');
    await expect(cancel(QUORUM)).rejects.toThrow('no wallet found for account');
  });

  it('let a recipient vote once, and nobody else', async () => {
    network = new Network();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [], 0);
    const manager = await network.extend(one, two, contract);
    const vote = (who: Party, rules: typeof LEDGER | typeof QUORUM) =>
      who.desk.vote(rules, manager, true, who.args({}, [one]));
    await expect(vote(one, LEDGER)).rejects.toThrow('account is not acceptor');
    await expect(vote(one, QUORUM)).rejects.toThrow('already voted');
    await expect(vote(three, LEDGER)).rejects.toThrow('no contract code at given address');
    network.managers.setDown(one.key, true);
    await vote(two, LEDGER);
    await network.until(() => hasVoted(two, manager, two.account), 'the recipient has voted');
    await expect(vote(two, LEDGER)).rejects.toThrow('process complete. nothing to accept');
    await expect(vote(two, QUORUM)).rejects.toThrow('already voted');
  });
});
