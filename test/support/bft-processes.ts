/**
 * A QBFT or IBFT network of processes on loopback, started as operators do; some nodes may be
 * GoQuorum's.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bareHex, toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey, secp256k1 } from '../../src/core/base/secp256k1.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { secretKey } from './bft-chain.ts';
import { until } from './conditions.ts';
import { MAIN } from './devnet.ts';
import { freePorts } from './free-ports.ts';
import { CHAIN_ID } from './genesis-file.ts';
import { NodeProcess } from './node-process.ts';

const API = 'admin,debug,eth,istanbul,miner,net,txpool,web3';

/** r: GoQuorum, q: ours. */
export type Kind = 'r' | 'q';

export interface BftProcessesOptions {
  readonly folder: string;
  /** One per node, including nodes that join later. */
  readonly kinds: readonly Kind[];
  /** Path of GoQuorum's binary; required where `kinds` contains r. */
  readonly reference?: string | undefined;
  readonly genesis: (addresses: readonly string[]) => object;
  readonly flags?: readonly string[];
  /** Namespaces over HTTP, instead of the usual ones. */
  readonly api?: string;
}

export class BftNode extends NodeProcess {
  readonly kind: Kind;
  readonly address: string;
  readonly enode: string;

  constructor(
    command: ConstructorParameters<typeof NodeProcess>[0],
    { kind, address, enode }: { kind: Kind; address: string; enode: string },
  ) {
    super(command);
    this.kind = kind;
    this.address = address;
    this.enode = enode;
  }
}

export class BftProcesses {
  readonly nodes: readonly BftNode[];
  readonly genesisFile: string;
  private readonly options: BftProcessesOptions;
  private readonly firstPort: number;

  static async prepare(options: BftProcessesOptions): Promise<BftProcesses> {
    await installCrypto();
    return new BftProcesses(options, await freePorts());
  }

  private constructor(options: BftProcessesOptions, firstPort: number) {
    this.options = options;
    this.firstPort = firstPort;
    this.genesisFile = join(options.folder, 'genesis.json');
    mkdirSync(options.folder, { recursive: true });
    const addresses = options.kinds.map((_, at) => toHex(addressOfSecretKey(secretKey(at + 1))));
    this.write(options.genesis(addresses));
    this.nodes = options.kinds.map((kind, at) => this.makeNode(at + 1, kind, addresses[at]!));
  }

  node(number: number): BftNode {
    return this.nodes[number - 1]!;
  }

  get running(): BftNode[] {
    return this.nodes.filter(({ isRunning }) => isRunning);
  }

  /** Writes the genesis file for later calls of `init` and first starts. */
  write(genesis: object): void {
    writeFileSync(this.genesisFile, JSON.stringify(genesis));
  }

  /** Lists these nodes, and only these, as each other's static nodes. */
  introduce(nodes: readonly BftNode[], file = 'static-nodes.json'): void {
    for (const node of nodes)
      writeFileSync(join(node.folder, file), JSON.stringify(nodes.map(({ enode }) => enode)));
  }

  /** Deletes its chain and all other data; its key stays. */
  async forget(node: BftNode): Promise<void> {
    const places = ['quorate', 'geth/chaindata', 'geth/nodes', 'geth/transactions.rlp'];
    for (const place of places) rmSync(join(node.folder, place), { recursive: true, force: true });
    await this.init(node);
  }

  /** The first start of a node of ours, which does not need `init` before. */
  begin(node: BftNode, flags: readonly string[] = []): Promise<void> {
    return node.start(['--genesis', this.genesisFile, ...flags]);
  }

  /**
   * `quorate init`, or GoQuorum's, with the present genesis file; rejects with the command's
   * output.
   */
  async init(node: BftNode): Promise<void> {
    const { reference } = this.options;
    const [file, first] =
      node.kind === 'q' ? [process.execPath, [MAIN, 'init']] : [reference!, ['init']];
    const args = [...first, '--datadir', node.folder, this.genesisFile];
    await promisify(execFile)(file, args);
  }

  async startAll(nodes: readonly BftNode[] = this.nodes): Promise<void> {
    await Promise.all(nodes.map((node) => node.start()));
  }

  async stopAll(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop(signal)));
  }

  /** Waits until all of `nodes` have the same block `number`. */
  async reach(number: number, nodes: readonly BftNode[] = this.running): Promise<void> {
    const tag = `0x${number.toString(16)}`;
    const hashes = await Promise.all(
      nodes.map(({ name, rpc }) =>
        until(`${name} has block ${number}`, async () => {
          const block = await rpc.call<{ hash: string } | null>('eth_getBlockByNumber', tag, false);
          return block?.hash;
        }),
      ),
    );
    if (new Set(hashes).size > 1) throw new Error(`block ${number} differs: ${hashes.join(' ')}`);
  }

  private makeNode(number: number, kind: Kind, address: string): BftNode {
    const { folder: all, reference, flags = [], api = API } = this.options;
    const folder = join(all, `node${number}`);
    mkdirSync(join(folder, 'geth'), { recursive: true });
    const key = bareHex(secretKey(number));
    for (const file of ['nodekey', 'geth/nodekey'])
      writeFileSync(join(folder, file), key, { mode: 0o600 });
    const [p2pPort, rpcPort] = [this.firstPort + 2 * number - 2, this.firstPort + 2 * number - 1];
    const shared = [
      ...['--datadir', folder, '--networkid', String(CHAIN_ID), '--nodiscover'],
      ...['--port', String(p2pPort), '--mine', '--miner.gasprice', '0', '--syncmode', 'full'],
      ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(rpcPort)],
      ...['--http.api', api, '--verbosity', '3', '--ipcdisable', ...flags],
    ];
    const command =
      kind === 'q'
        ? { file: process.execPath, args: [MAIN, 'node', ...shared] }
        : { file: reference ?? '', args: [...shared, '--miner.threads', '1'] };
    const environment = { PRIVATE_CONFIG: 'ignore' };
    const publicKey = bareHex(secp256k1().publicKey(secretKey(number)));
    const enode = `enode://${publicKey}@127.0.0.1:${p2pPort}?discport=0`;
    return new BftNode(
      { number, folder, rpcPort, environment, ...command },
      { kind, address, enode },
    );
  }
}
