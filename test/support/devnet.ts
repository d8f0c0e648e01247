/**
 * A devnet for one test: in this process, or as separate processes where the test is about these.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inProcessLauncher } from '../../src/cli/devnet/in-process.ts';
import { setUpDevnetPermissions } from '../../src/cli/devnet/permissions.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { processLauncher } from '../../src/services/devnet/processes.ts';
import { type Devnet, type DevnetOptions, startDevnet } from '../../src/services/devnet/start.ts';
import { until } from './conditions.ts';
import { freePorts } from './free-ports.ts';
import { type Rpc, rpcClient } from './rpc-client.ts';
import { signHere } from './staking.ts';

/** From the build, because threads cannot load TypeScript. */
const BUILT_READER = new URL(
  '../../dist/services/ledger/readers/reader-worker.js',
  import.meta.url,
);

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
export const MAIN = join(PROJECT, 'dist/bundle/cli/main.js');

export interface TestDevnet {
  readonly devnet: Devnet;
  readonly folder: string;
  /** Path of devnet.json. */
  readonly file: string;
  /** Node 1 to 4, at index 0 to 3. */
  readonly rpc: readonly Rpc[];
  /** Public keys of the managers, at index 0 to 3. */
  readonly keys: readonly string[];
  readonly accounts: readonly { readonly address: string; readonly privateKey: string }[];
  close(): Promise<void>;
}

export interface TestDevnetOptions extends Partial<DevnetOptions> {
  readonly inProcesses?: boolean;
}

export async function startTestDevnet(options: TestDevnetOptions = {}): Promise<TestDevnet> {
  await installCrypto();
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'quorate-e2e-'));
  const launch = options.inProcesses
    ? processLauncher(MAIN, process.env)
    : inProcessLauncher(options.verbosity, {
        depositSigner: signHere,
        readerWorker: BUILT_READER,
      });
  const wanted: DevnetOptions = {
    isFresh: false,
    blockPeriodSeconds: 1,
    emptyBlockPeriodSeconds: 0,
    verbosity: 3,
    ...options,
    folder,
    portsFrom: options.portsFrom ?? (await freePorts()),
  };
  const parts = { launch, progress: () => {}, setUpPermissions: setUpDevnetPermissions };
  const devnet = await startDevnet(wanted, parts);
  const { nodes, accounts } = devnet.description;
  return {
    devnet,
    folder,
    file: join(folder, 'devnet.json'),
    rpc: nodes.map((node) => rpcClient(node.rpc)),
    keys: nodes.map((node) => node.ptm.publicKey),
    accounts,
    async close() {
      await devnet.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function headOf(rpc: Rpc): Promise<number> {
  return Number(await rpc.call('eth_blockNumber'));
}

/** Waits until the node has this block or a later one. */
export function untilBlock(rpc: Rpc, number: number): Promise<true> {
  return until(`${rpc.url} is at block ${number}`, async () => (await headOf(rpc)) >= number);
}

export interface RpcReceipt {
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly contractAddress: string | null;
  readonly gasUsed: string;
  readonly logs: readonly { readonly data: string; readonly topics: readonly string[] }[];
}

export function untilMined(rpc: Rpc, hash: string): Promise<RpcReceipt> {
  return until(
    `${hash} is mined`,
    async () => (await rpc.call<RpcReceipt | null>('eth_getTransactionReceipt', hash)) ?? undefined,
  );
}
