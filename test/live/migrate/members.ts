/**
 * Four members of one network, with a manager each. A member begins with GoQuorum's data folder,
 * may migrate to Quorate in a folder of its own, and may go back; its key, ports and manager stay.
 * Without GoQuorum's binary, Quorate mines the first blocks, and then writes its folder in
 * GoQuorum's format.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bareHex, fromHex, toHex } from '../../../src/core/base/hex.ts';
import { addressOfSecretKey, secp256k1 } from '../../../src/core/base/secp256k1.ts';
import { RaftStore } from '../../../src/core/store/raft-store.ts';
import { TransactionJournal } from '../../../src/core/store/transaction-journal.ts';
import { encryptKey } from '../../../src/io/keys/keystore.ts';
import { nodeLogFolder } from '../../../src/io/storage/node-log-file.ts';
import { openChain, storeFolder } from '../../../src/services/ledger/store/data.ts';
import { RAFT_FOLDER } from '../../../src/services/ledger/store/raft-log.ts';
import { secretKey } from '../../support/bft-chain.ts';
import { until } from '../../support/conditions.ts';
import { MAIN } from '../../support/devnet.ts';
import { freePorts } from '../../support/free-ports.ts';
import { CHAIN_ID, genesisFile, testSecretKey } from '../../support/genesis-file.ts';
import { writeGethRaft } from '../../support/geth-raft-writer.ts';
import { writeGethFolder, writeGethJournal } from '../../support/geth-writer.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { type TestKey, testKey } from '../../support/ptm.ts';
import type { Rpc } from '../../support/rpc-client.ts';

const API =
  'admin,debug,eth,istanbul,net,personal,quorumExtension,quorumPermission,raft,txpool,web3';
const PASSWORD = 'test';
const MEMBERS = [1, 2, 3, 4] as const;
/** The member that sends privacy markers (`isMarking`). */
const MARKING = 2;
const PORTS_EACH = 5;
const COMMAND_MS = 300_000;

export type MigratedEngine = 'qbft' | 'ibft' | 'raft';
export type Permissions = 'none' | 'files' | 'contracts';
/** With permission contracts: the block from which they apply. */
export const IN_FORCE_AT = 40;
const NODES_FILE = 'permissioned-nodes.json';

export interface Member {
  readonly number: number;
  /** GoQuorum's folder; a migration only reads it. */
  readonly folder: string;
  /** Where the next migration writes the chain. */
  target: string;
  readonly account: string;
  readonly managerKey: TestKey;
  readonly enode: string;
  readonly managerUrl: string;
  readonly manager: NodeProcess;
  readonly flags: readonly string[];
  readonly rpcPort: number;
  /** Its id in a Raft cluster; a member that was removed returns with a new one. */
  raftId: number;
  /** A process of GoQuorum or of Quorate; undefined: stopped. */
  running: NodeProcess | undefined;
  /** Clients use it: it runs, and has caught up. */
  isInUse: boolean;
}

export interface NetworkKind {
  readonly engine: MigratedEngine;
  readonly permissions: Permissions;
  /** Path of GoQuorum's binary; undefined: Quorate stands in for it. */
  readonly reference: string | undefined;
  /** Additional settings in the consensus part of the genesis file. */
  readonly settings?: object;
  /** Member 2 sends its private transactions in privacy markers. */
  readonly isMarking?: boolean;
}

export class Network {
  readonly members: readonly Member[];
  readonly folder: string;
  readonly genesisFile: string;
  readonly engine: MigratedEngine;
  readonly permissions: Permissions;
  readonly reference: string | undefined;
  private readonly settings: object | undefined;

  static async prepare(folder: string, kind: NetworkKind): Promise<Network> {
    const first = await freePorts();
    const keys = await Promise.all(MEMBERS.map(testKey));
    const network = new Network(folder, kind, first, keys);
    await network.write();
    return network;
  }

  private constructor(
    folder: string,
    { engine, permissions, reference, settings, isMarking }: NetworkKind,
    first: number,
    keys: readonly TestKey[],
  ) {
    this.folder = folder;
    this.engine = engine;
    this.permissions = permissions;
    this.reference = reference;
    this.settings = settings;
    this.genesisFile = join(folder, 'genesis.json');
    this.members = MEMBERS.map((number, at) => {
      const [p2p, rpcPort, raft, q2t] = portsOf(first, at);
      const publicKey = bareHex(secp256k1().publicKey(secretKey(number)));
      const raftPart = engine === 'raft' ? `&raftport=${raft}` : '';
      return {
        ...{ number, rpcPort: rpcPort!, running: undefined, isInUse: false, managerKey: keys[at]! },
        raftId: number,
        folder: join(folder, `goquorum${number}`),
        target: join(folder, `quorate${number}`),
        account: toHex(addressOfSecretKey(fromHex(testSecretKey(0x20 + number)))),
        enode: `enode://${publicKey}@127.0.0.1:${p2p}?discport=0${raftPart}`,
        managerUrl: `http://127.0.0.1:${q2t}`,
        manager: this.managerProcess(number, q2t!),
        flags: [
          ...['--networkid', String(CHAIN_ID), '--nodiscover', '--port', String(p2p)],
          ...['--miner.gasprice', '0', '--syncmode', 'full', '--gcmode', 'archive'],
          ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(rpcPort)],
          ...['--http.api', API, '--verbosity', '3', '--ipcdisable'],
          ...(engine === 'raft' ? ['--raft', '--raftport', String(raft)] : ['--mine']),
          ...(permissions === 'none' ? [] : ['--permissioned']),
          ...(isMarking && number === MARKING ? ['--privacymarker.enable'] : []),
          ...['--allow-insecure-unlock', '--password', join(folder, 'password')],
        ],
      };
    });
    for (const [at, member] of this.members.entries()) {
      this.writeManager(member, portsOf(first, at), first);
    }
  }

  member(number: number): Member {
    return this.members[number - 1]!;
  }

  get rpcs(): Rpc[] {
    return this.members.flatMap(({ running }) => (running?.isRunning ? [running.rpc] : []));
  }

  async startManagers(): Promise<void> {
    for (const { manager } of this.members) await manager.start();
  }

  /** Starts GoQuorum on GoQuorum's folder. */
  async startOld(member: Member): Promise<void> {
    const { reference, genesisFile } = this;
    if (reference === undefined) return this.startOurs(member, member.folder, genesisFile);
    const args = ['--datadir', member.folder, ...this.nodeFlags(member), '--miner.threads', '1'];
    member.running = this.node(member, reference, args, member.folder);
    await member.running.start();
  }

  startNew(member: Member): Promise<void> {
    return this.startOurs(member, member.target);
  }

  private async startOurs(member: Member, folder: string, genesis?: string): Promise<void> {
    const address = this.engine === 'raft' ? ['--raft.addr', '127.0.0.1'] : [];
    const flags = [...this.nodeFlags(member), '--p2p.addr', '127.0.0.1', ...address];
    const begun = genesis === undefined ? [] : ['--genesis', genesis];
    const args = [MAIN, 'node', '--datadir', folder, ...begun, ...flags];
    member.running = this.node(member, process.execPath, args, folder);
    await member.running.start();
  }

  /** Makes the folder of a stopped member a GoQuorum folder, if it is not one already. */
  async settle({ folder }: Member): Promise<void> {
    if (this.reference !== undefined) return;
    const { store, folder: data, close } = await openChain(folder);
    const { config } = JSON.parse(readFileSync(this.genesisFile, 'utf8')) as { config: object };
    const frozen = Math.floor(store.head()!.number / 2);
    await writeGethFolder(folder, { store, kv: data.kv, config: JSON.stringify(config), frozen });
    const journal = new TransactionJournal(data.journal);
    writeGethJournal(folder, journal.entries());
    await journal.close();
    await close();
    if (this.engine !== 'raft') return;
    const raft = await RaftStore.open(nodeLogFolder(ownRaftLog(folder)));
    writeGethRaft(folder, raft.contents);
    raft.close();
  }

  /**
   * For a stopped member of a Raft cluster whose log misses entries that it has acknowledged since:
   * it returns under a new id, with its chain.
   */
  async rejoin(member: Member): Promise<void> {
    const { rpc } = this.members.findLast(({ running }) => running?.isRunning)!.running!;
    await rpc.call('raft_removePeer', member.raftId);
    // GoQuorum answers before the cluster has committed the change.
    await until('it is removed', async () => {
      const cluster = await rpc.call<{ raftId: number }[]>('raft_cluster');
      return !cluster.some(({ raftId }) => raftId === member.raftId);
    });
    member.raftId = await rpc.call<number>('raft_addPeer', member.enode);
    const { folder } = member;
    const logs = ['raft-wal', 'raft-snap', 'quorum-raft-state'].map((name) => join(folder, name));
    for (const path of [...logs, ownRaftLog(folder)])
      rmSync(path, { recursive: true, force: true });
  }

  /** Starts GoQuorum on a copy of a member's folder, with its manager and without peers. */
  async startCopy(member: Member): Promise<NodeProcess> {
    const folder = `${member.folder}-copy`;
    cpSync(member.folder, folder, { recursive: true });
    rmSync(join(folder, 'static-nodes.json'));
    const [rpcPort, p2p] = [await freePorts(), await freePorts()];
    const args = [
      ...['--datadir', folder, '--networkid', String(CHAIN_ID), '--nodiscover', '--maxpeers', '0'],
      ...['--port', String(p2p), '--syncmode', 'full', '--gcmode', 'archive', '--ipcdisable'],
      ...['--http', '--http.port', String(rpcPort), '--http.api', API, '--miner.gasprice', '0'],
      ...['--ptm.url', member.managerUrl],
    ];
    const copy = this.node({ ...member, rpcPort }, this.reference!, args, folder);
    await copy.start();
    return copy;
  }

  /** Runs a `quorate` command; resolves with its output, rejects when it fails. */
  async quorate(...args: string[]): Promise<string> {
    const options = { timeout: COMMAND_MS, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], options);
    return stdout;
  }

  /** Runs GoQuorum's `init` on every folder. */
  async init(): Promise<void> {
    if (this.reference === undefined) return;
    for (const { folder } of this.members) {
      const args = ['--datadir', folder, 'init', this.genesisFile];
      await promisify(execFile)(this.reference, args);
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.members.map(({ running }) => running?.stop('SIGKILL')));
    await Promise.all(this.members.map(({ manager }) => manager.stop('SIGKILL')));
  }

  logs(): readonly NodeProcess[] {
    return this.members.flatMap(({ running }) => (running ? [running] : []));
  }

  private nodeFlags({ flags, account, managerUrl, raftId, number }: Member): string[] {
    const joined = raftId === number ? [] : ['--raftjoinexisting', String(raftId)];
    return [...flags, ...joined, '--unlock', account, '--ptm.url', managerUrl];
  }

  private node(
    { number, rpcPort }: Member,
    file: string,
    args: readonly string[],
    folder: string,
  ): NodeProcess {
    // A manager socket in the environment would override the flag.
    const environment = { PRIVATE_CONFIG: '' };
    return new NodeProcess({ number, rpcPort, file, args, folder, environment });
  }

  private managerProcess(number: number, q2t: number): NodeProcess {
    const folder = join(this.folder, `manager${number}`);
    mkdirSync(folder, { recursive: true });
    const args = [MAIN, 'ptm', '--configfile', join(folder, 'config.json')];
    return new ManagerProcess({ number, folder, rpcPort: q2t, file: process.execPath, args });
  }

  private writeManager({ number, managerKey }: Member, ports: readonly number[], first: number) {
    const [, , , q2t, peer] = ports;
    const config = {
      serverConfigs: [
        { app: 'Q2T', serverAddress: `http://127.0.0.1:${q2t}` },
        { app: 'P2P', serverAddress: `http://127.0.0.1:${peer}` },
      ],
      peer: MEMBERS.map((_, at) => ({ url: `http://127.0.0.1:${portsOf(first, at)[4]}/` })),
      features: { enablePrivacyEnhancements: true },
      keys: { keyData: [managerKey] },
    };
    const file = join(this.folder, `manager${number}`, 'config.json');
    writeFileSync(file, JSON.stringify(config));
  }

  private async write(): Promise<void> {
    const { engine, permissions, settings } = this;
    const permitted = permissions === 'contracts' ? { qip714Block: IN_FORCE_AT } : {};
    const config = { privacyEnhancementsBlock: 0, privacyPrecompileBlock: 0, ...permitted };
    const validators = MEMBERS.map((number) => toHex(addressOfSecretKey(secretKey(number))));
    const genesis = genesisFile({ engine, validators, config, ...(settings ? { settings } : {}) });
    writeFileSync(this.genesisFile, JSON.stringify(genesis));
    writeFileSync(join(this.folder, 'password'), `${PASSWORD}\n`);
    for (const { folder, number, account } of this.members) {
      mkdirSync(join(folder, 'geth'), { recursive: true });
      mkdirSync(join(folder, 'keystore'), { recursive: true });
      writeFileSync(join(folder, 'geth/nodekey'), bareHex(secretKey(number)), { mode: 0o600 });
      this.writePeers(folder);
      if (readdirSync(join(folder, 'keystore')).length > 0) continue;
      const key = fromHex(testSecretKey(0x20 + number));
      const keystore = await encryptKey(key, PASSWORD, { light: true });
      const name = `UTC--2026-01-01T00-00-00.000000000Z--${account.slice(2)}`;
      writeFileSync(join(folder, 'keystore', name), JSON.stringify(keystore));
    }
  }

  /** All members, with their ports of this run. */
  writePeers(folder: string): void {
    const enodes = this.members.map(({ enode }) => enode);
    const files = ['static-nodes.json', ...(this.permissions === 'none' ? [] : [NODES_FILE])];
    for (const file of files) writeFileSync(join(folder, file), JSON.stringify(enodes));
  }
}

/** The Raft log of a member that Quorate runs. */
function ownRaftLog(folder: string): string {
  return join(storeFolder(folder), RAFT_FOLDER);
}

class ManagerProcess extends NodeProcess {
  protected override async answers(): Promise<void> {
    const { ok } = await fetch(`${this.url}/upcheck`);
    if (!ok) throw new Error('the manager is not up');
  }
}

/**
 * Ports for peers, JSON-RPC, Raft, the manager's API for its node, and the manager's API for peers.
 */
function portsOf(first: number, at: number): readonly number[] {
  return Array.from({ length: PORTS_EACH }, (_, index) => first + PORTS_EACH * at + index);
}
