/**
 * Four validators and their managers in a virtual world, all drawn from one seed: managers that are
 * down, slow, answer garbage or restart, and nodes that are killed. Blocks must continue all the
 * time; once everything works, every private state must reach the head, the members of a group must
 * have equal private states, and nobody else may have anything of theirs.
 */
import { equalBytes } from '../../../src/core/base/bytes.ts';
import { bareHex, fromHex, toHex } from '../../../src/core/base/hex.ts';
import { keccak256 } from '../../../src/core/base/keccak.ts';
import type { Entropy } from '../../../src/core/base/ports.ts';
import { Prng } from '../../../src/core/base/prng.ts';
import { addressOfSecretKey } from '../../../src/core/base/secp256k1.ts';
import { genesisFromJson } from '../../../src/core/chain/genesis.ts';
import { signTransaction } from '../../../src/core/chain/signing.ts';
import type { Transaction } from '../../../src/core/chain/transaction.ts';
import { createAddress } from '../../../src/core/evm/create-address.ts';
import { loadEnclaveCrypto } from '../../../src/io/sodium/nacl.ts';
import { devnetGenesis } from '../../../src/services/devnet/genesis.ts';
import { topologyOf } from '../../../src/services/devnet/topology.ts';
import { PrivateSender } from '../../../src/services/ledger/node/sending/private-sender.ts';
import { MemoryHub, type MemoryNode, memoryNode } from '../../support/memory-network.ts';
import { STORE_CODE, setInput } from '../../support/store-contract.ts';
import { VirtualTime } from '../../support/virtual-time.ts';
import type { PrivacyCanary } from './canaries.ts';
import { GROUPS, PEERS, SPACE } from './groups.ts';
import { type Mood, pass, SimManager } from './manager.ts';

const START_MS = Date.UTC(2030, 0, 1);
const URLS: readonly string[] = [0, 1, 2, 3].map((at) => `http://manager${at}/`);
const SENDERS = 6;
const FAULTY_MS = 60_000;
/** The outbox retries after at most five minutes. */
const HEALED_MS = 6 * 60_000;
const WATCH_MS = 30_000;
const BLOCKS_PER_WATCH_MIN = 3;
const MOODS: readonly Mood[] = ['slow', 'garbage', 'away'];

export interface PrivacyOutcome {
  readonly seed: number;
  readonly failure: string | undefined;
  readonly height: number;
  /** Mined private transactions, and refused sends. */
  readonly events: number;
  readonly refused: number;
  readonly digest: string;
}

export async function runPrivacySeed(
  seed: number,
  options: { canary?: PrivacyCanary; trace?: (line: string) => void } = {},
): Promise<PrivacyOutcome> {
  const world = new PrivacyWorld(seed, await loadEnclaveCrypto(), options);
  const failure = await world.run().then(
    () => undefined,
    (error: Error) => error.message,
  );
  const outcome = { seed, failure, ...world.figures() };
  await world.stop();
  return outcome;
}

interface Account {
  readonly key: Uint8Array;
  nonce: number;
  /** A send is in progress. */
  isBusy: boolean;
}

interface Sent {
  readonly group: number;
  readonly value: number;
  /** Acknowledged by a node that was alive. */
  isAcknowledged: boolean;
}

class PrivacyWorld {
  private readonly chance: Prng;
  private readonly time: VirtualTime;
  private readonly hub: MemoryHub;
  private readonly topology = topologyOf('unused', undefined);
  private readonly genesis = genesisFromJson(
    devnetGenesis(this.topology, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 }),
  );
  private readonly managers: SimManager[];
  private readonly nodes: (MemoryNode | undefined)[] = [];
  private readonly disks: MemoryNode['disk'][] = [];
  private readonly accounts: Account[] = [];
  private readonly sent = new Map<string, Sent>();
  private readonly contracts: Uint8Array[] = [];
  private readonly options: { canary?: PrivacyCanary; trace?: (line: string) => void };
  private readonly entropy: Entropy;
  private accountCount = 0;
  private value = 0;
  private refused = 0;
  private isFaulty = true;

  constructor(
    seed: number,
    crypto: Awaited<ReturnType<typeof loadEnclaveCrypto>>,
    options: { canary?: PrivacyCanary; trace?: (line: string) => void },
  ) {
    this.options = options;
    this.chance = new Prng(seed);
    this.time = new VirtualTime(START_MS, 3);
    this.hub = new MemoryHub(this.time);
    const { chance, time } = this;
    const entropy = {
      bytes: (length: number) => Uint8Array.from({ length }, () => chance.below(256)),
    };
    this.entropy = entropy;
    const peer = (url: string) => this.managers[URLS.indexOf(url)];
    const shared = { urls: URLS, crypto, time, chance, entropy, peer };
    this.managers = URLS.map((_, index) => new SimManager({ ...shared, index }));
  }

  async run(): Promise<void> {
    for (const manager of this.managers) manager.start();
    for (const index of URLS.keys()) await this.bringUp(index);
    for (let at = 0; at < SENDERS; at++) this.accounts.push(this.newAccount());
    await this.deployAll();
    for (const account of this.accounts) this.sendOften(account);
    for (const index of URLS.keys()) this.troubleManager(index);
    this.troubleNodes();
    await this.watch();
    this.isFaulty = false;
    await this.until(() => this.isHealed(), 'everything is well again', HEALED_MS);
    await this.until(
      () => this.accounts.every(({ isBusy }) => !isBusy),
      'no send is under way',
      HEALED_MS,
    );
    const goal = this.node(0).chain.head().number + 3;
    await this.until(() => this.isSettled(goal), 'every private state is at the head', HEALED_MS);
    this.check();
  }

  figures(): Pick<PrivacyOutcome, 'height' | 'events' | 'refused' | 'digest'> {
    const { chain } = this.nodes.find((node) => node !== undefined)!;
    const height = chain.head().number;
    const digest = bareHex(keccak256(chain.head().header.stateRoot)).slice(0, 16);
    return { height, events: this.sent.size, refused: this.refused, digest };
  }

  async stop(): Promise<void> {
    for (const manager of this.managers) manager.kill();
    await Promise.all(this.nodes.map((node) => node?.stop()));
  }

  // --- what happens ---------------------------------------------------------------------------------------------------

  private async bringUp(index: number): Promise<void> {
    const port = this.managers[index]!.port;
    const disk = this.disks[index];
    const node = await memoryNode({
      hub: this.hub,
      genesis: this.genesis,
      secretKey: this.topology.nodes[index]!.nodeKey,
      manager: this.options.canary?.spoil(port) ?? port,
      entropy: this.entropy,
      ...(disk ? { disk } : {}),
    });
    this.disks[index] = node.disk;
    this.nodes[index] = node;
  }

  private async deployAll(): Promise<void> {
    const [deployer] = this.accounts;
    for (const [at, { members }] of GROUPS.entries()) {
      const nonce = BigInt(deployer!.nonce);
      this.contracts.push(createAddress(addressOfSecretKey(deployer!.key), nonce));
      let isDone = false;
      void this.send(deployer!, at, members[0]!, fromHex(STORE_CODE), null).then((fault) => {
        isDone = fault === undefined;
      });
      await this.until(() => isDone, 'a contract is on its way', WATCH_MS);
      await this.until(
        () => members.every((index) => this.hasContract(index, at)),
        'it is deployed',
        WATCH_MS,
      );
    }
  }

  private sendOften(account: Account): void {
    const next = () => {
      if (!this.isFaulty) return;
      void this.sendSomething(account).then(() => {
        this.time.set(100 + this.chance.below(2_500), next);
      });
    };
    this.time.set(this.chance.below(2_000), next);
  }

  private async sendSomething(account: Account): Promise<void> {
    const group = this.chance.below(GROUPS.length);
    const { members } = GROUPS[group]!;
    const from = members[this.chance.below(members.length)]!;
    const node = this.nodes[from];
    if (!node) return;
    account.isBusy = true;
    const value = ++this.value;
    const fault = await this.send(account, group, from, fromHex(setInput(value)), value);
    account.isBusy = false;
    // It is unknown whether the node accepted it: no other transaction may use its nonce.
    if (this.nodes[from] !== node) Object.assign(account, this.newAccount());
    else if (fault) this.refused++;
  }

  /**
   * Sends like eth_sendRawPrivateTransaction. Resolves with the error, if any; without one, the
   * nonce is used.
   */
  private async send(
    account: Account,
    group: number,
    from: number,
    payload: Uint8Array,
    value: number | null,
  ): Promise<Error | undefined> {
    const { flag, members } = GROUPS[group]!;
    const node = this.node(from);
    const { port: manager, key } = this.managers[from]!;
    const privateFor = members
      .filter((index) => index !== from)
      .map((index) => this.managers[index]!.key);
    const { follower, chain, intake } = node;
    try {
      const data = await manager.storeRaw(payload, key);
      const transaction = this.sign(account, value === null ? undefined : group, data);
      const sender = new PrivateSender({
        chain,
        manager,
        follower,
        psi: SPACE.psi,
        members: undefined,
      });
      const args = { privateFrom: key, privateFor, flag, mandatoryFor: undefined };
      await sender.distributeSigned(transaction, args);
      const sent = { group, value: value ?? 0, isAcknowledged: false };
      if (value !== null) this.sent.set(toHex(transaction.hash), sent);
      await intake.submit(transaction);
      sent.isAcknowledged = this.nodes[from] === node;
      account.nonce++;
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  private sign(account: Account, group: number | undefined, data: Uint8Array): Transaction {
    const nonce = BigInt(account.nonce);
    const to = group === undefined ? {} : { to: this.contracts[group]! };
    const body = { nonce, gasLimit: 1_000_000n, data, ...to };
    return signTransaction(body, account.key, { isPrivate: true });
  }

  private newAccount(): Account {
    const name = `privacy simulator account ${this.accountCount++}`;
    return { key: keccak256(new TextEncoder().encode(name)), nonce: 0, isBusy: false };
  }

  /** The manager fails, recovers and restarts at random times. */
  private troubleManager(index: number): void {
    const manager = this.managers[index]!;
    const next = async () => {
      if (!this.isFaulty) return;
      const isRestart = this.chance.chance(0.3);
      const mood = MOODS[this.chance.below(MOODS.length)]!;
      this.say(`manager ${index}: ${isRestart ? 'restarts' : mood}`);
      if (isRestart) manager.kill();
      else manager.mood = mood;
      await pass(this.time, 500 + this.chance.below(9_000));
      if (isRestart) manager.start();
      manager.mood = 'well';
      this.time.set(1_000 + this.chance.below(15_000), () => void next());
    };
    this.time.set(this.chance.below(10_000), () => void next());
  }

  /** Kills one node at a time, so that three continue. */
  private troubleNodes(): void {
    const next = async () => {
      if (!this.isFaulty) return;
      const index = this.chance.below(URLS.length);
      this.say(`node ${index}: killed`);
      const node = this.node(index);
      this.nodes[index] = undefined;
      await node.kill();
      await pass(this.time, 500 + this.chance.below(6_000));
      await this.bringUp(index);
      this.time.set(10_000 + this.chance.below(20_000), () => void next());
    };
    this.time.set(5_000 + this.chance.below(20_000), () => void next());
  }

  private async watch(): Promise<void> {
    for (let passed = 0; passed < FAULTY_MS; passed += WATCH_MS) {
      const before = this.height();
      let isOver = false;
      this.time.set(WATCH_MS, () => {
        isOver = true;
      });
      await this.until(() => isOver, 'time passes', WATCH_MS + 1);
      const made = this.height() - before;
      if (made < BLOCKS_PER_WATCH_MIN) throw new Error(`${made} blocks in ${WATCH_MS} ms`);
    }
  }

  // --- what must be ---------------------------------------------------------------------------------------------------

  private isHealed(): boolean {
    return (
      this.nodes.every((node) => node !== undefined) &&
      this.managers.every(({ isUp, mood }) => isUp && mood === 'well')
    );
  }

  private isSettled(goal: number): boolean {
    return this.nodes.every((node) => {
      const { chain, pool } = node!;
      const { number } = chain.head();
      return number >= goal && chain.store.cursor(SPACE) === number && pool.stats.pending === 0;
    });
  }

  private check(): void {
    const number = Math.min(...this.nodes.map((node) => node!.chain.head().number));
    const root = (index: number) => this.node(index).chain.store.trieAt(SPACE, number).root();
    for (const [one, other] of PEERS) {
      if (!equalBytes(root(one), root(other)))
        throw new Error(`private states of nodes ${one} and ${other} differ at block ${number}`);
    }
    if (equalBytes(root(0), root(2))) throw new Error('nodes 0 and 2 have one private state');
    const last = this.lastValues(number);
    for (const [group, { members }] of GROUPS.entries()) {
      for (const index of URLS.keys()) {
        const isMember = members.includes(index);
        if (this.hasContract(index, group) !== isMember)
          throw new Error(`contract of group ${group} at node ${index}: member ${isMember}`);
        if (isMember && last[group] !== undefined && this.valueAt(index, group) !== last[group])
          throw new Error(
            `node ${index} reads ${this.valueAt(index, group)} of group ${group}, ${last[group]} was set last`,
          );
      }
    }
  }

  /** The last values by group, in the order of the chain. Everything acknowledged must be there. */
  private lastValues(number: number): (number | undefined)[] {
    const last: (number | undefined)[] = GROUPS.map(() => undefined);
    const missing = new Set(
      [...this.sent].filter(([, { isAcknowledged }]) => isAcknowledged).map(([hash]) => hash),
    );
    const { store } = this.node(0).chain;
    for (let height = 1; height <= number; height++) {
      for (const { hash } of store.block(height)!.transactions) {
        const sent = this.sent.get(toHex(hash));
        if (!sent) continue;
        missing.delete(toHex(hash));
        last[sent.group] = sent.value;
      }
    }
    if (missing.size > 0) throw new Error(`${missing.size} acknowledged transactions are lost`);
    return last;
  }

  private hasContract(index: number, group: number): boolean {
    const { store } = this.node(index).chain;
    const reader = store.stateAt(SPACE, store.cursor(SPACE));
    const account = reader.account(this.contracts[group]!);
    return account !== undefined && reader.code(account.codeHash).length > 0;
  }

  private valueAt(index: number, group: number): number {
    const { store } = this.node(index).chain;
    const reader = store.stateAt(SPACE, store.cursor(SPACE));
    const contract = this.contracts[group]!;
    const account = reader.account(contract);
    return account ? Number(reader.slot(contract, account, 0n)) : 0;
  }

  private height(): number {
    return Math.max(...this.nodes.map((node) => node?.chain.head().number ?? 0));
  }

  private node(index: number): MemoryNode {
    const node = this.nodes[index];
    if (!node) throw new Error(`node ${index} is down`);
    return node;
  }

  private until(isDone: () => boolean, what: string, limitMs: number): Promise<void> {
    return this.time.until(isDone, limitMs, what);
  }

  private say(line: string): void {
    this.options.trace?.(`${this.time.nowMs() - START_MS} ms, block ${this.height()}: ${line}`);
  }
}
