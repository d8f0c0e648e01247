/** A node in memory with its API: a recorded chain, the keys of a recorded node, no peers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareHex } from '../../src/core/base/hex.ts';
import type { Clock, Log, Timers } from '../../src/core/base/ports.ts';
import {
  addressOfSecretKey,
  recoverAddress,
  secp256k1,
  sign65,
} from '../../src/core/base/secp256k1.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { ChainConfig } from '../../src/core/chain/chain-config.ts';
import type { Genesis } from '../../src/core/chain/genesis.ts';
import {
  type PrivateStates,
  residentPrivateStates,
  SINGLE_PRIVATE_STATE,
} from '../../src/core/privacy/private-states.ts';
import type { AccountIndex } from '../../src/core/store/accounts/account-index.ts';
import { ChainReplica } from '../../src/core/store/chain-replica.ts';
import { ChainStore } from '../../src/core/store/chain-store.ts';
import { TransactionJournal } from '../../src/core/store/transaction-journal.ts';
import { VoteFile } from '../../src/core/store/vote-file.ts';
import { systemClock } from '../../src/io/host/clock.ts';
import { systemEffort } from '../../src/io/host/effort.ts';
import { systemEntropy } from '../../src/io/host/entropy.ts';
import { systemTimers } from '../../src/io/host/timers.ts';
import { AccountStore } from '../../src/io/keys/account-store.ts';
import { parseOptions } from '../../src/io/options/options.ts';
import { P2pServer } from '../../src/io/p2p/server.ts';
import type { ConnectedManager } from '../../src/io/ptm-client/connected-manager.ts';
import { managerNotInUse } from '../../src/io/ptm-client/no-manager.ts';
import { OPEN } from '../../src/io/rpc/access.ts';
import type { CallAudit } from '../../src/io/rpc/call-audit.ts';
import type { Dispatcher } from '../../src/io/rpc/dispatcher.ts';
import { MemoryDisk } from '../../src/io/storage/memory.ts';
import { MemoryKv } from '../../src/io/storage/memory-kv.ts';
import { GcPauses } from '../../src/io/telemetry/gc-pauses.ts';
import { notSent } from '../../src/io/threads/task-threads.ts';
import { nodeAdmin } from '../../src/services/ledger/admin.ts';
import type { Context } from '../../src/services/ledger/api/context.ts';
import { ChainFiles } from '../../src/services/ledger/chain-files.ts';
import { composeApi } from '../../src/services/ledger/compose-api.ts';
import {
  type AccessControl,
  accessControlOf,
} from '../../src/services/ledger/config/access-control.ts';
import { poolLimits } from '../../src/services/ledger/config/pool.ts';
import { ledgerConfig } from '../../src/services/ledger/config.ts';
import { ensureFirstBlock } from '../../src/services/ledger/node/chain/first-block.ts';
import {
  composeNode,
  type LedgerNode,
  type PermissionSettings,
} from '../../src/services/ledger/node/compose.ts';
import type { Accounts } from '../../src/services/ledger/node/sending/accounts.ts';
import { NODE_ROWS } from '../../src/services/ledger/options.ts';
import type {
  ReaderSettings,
  ReaderThreads,
  ReadJob,
} from '../../src/services/ledger/readers/job.ts';
import { Reader } from '../../src/services/ledger/readers/reader.ts';
import type { ServedApi } from '../../src/services/ledger/serve.ts';
import { openViews } from '../../src/services/ledger/view/open-views.ts';

export const ALL_APIS = 'eth,net,web3,debug,istanbul,txpool,admin,personal,miner';

export interface RpcNodeOptions {
  readonly genesis: Genesis;
  /** From block 1 on. */
  readonly blocks?: readonly Block[];
  readonly secretKey: Uint8Array;
  readonly manager?: ConnectedManager;
  /** Flags of `quorate node`. */
  readonly argv?: readonly string[];
  readonly isMining?: boolean;
  /** The chain's time; absent: the system's. */
  readonly time?: Clock & Timers;
  readonly log?: Log;
  readonly privateStates?: PrivateStates;
  /** Permission contracts; `argv` must contain `--permissioned`. */
  readonly permissions?: PermissionSettings;
  /** Replaces what `argv` says. */
  readonly access?: AccessControl;
  readonly audit?: CallAudit;
  /** Kept at the head from the first block on. */
  readonly accountIndex?: AccountIndex;
  /** Replaces the accounts in the folder. */
  readonly wallet?: Accounts;
}

export interface RpcNode {
  readonly node: LedgerNode;
  readonly accounts: AccountStore;
  readonly dispatcher: Dispatcher<Context>;
  serve(): Promise<ServedApi>;
  /** The result of a call over IPC (every namespace); throws an error response. */
  call(method: string, ...params: readonly unknown[]): Promise<any>;
  close(): Promise<void>;
}

export async function rpcNode(options: RpcNodeOptions): Promise<RpcNode> {
  const { genesis, secretKey, log = () => {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'quorate-rpc-'));
  const manager = options.manager ?? managerNotInUse();
  const disk = new MemoryDisk();
  const node = await lonelyNode(options, manager, log, disk);
  for (const block of options.blocks ?? []) await node.chain.commit(block, 'group');
  const accounts = new AccountStore({
    directory: join(folder, 'keystore'),
    clock: systemClock,
    timers: systemTimers,
    light: true,
  });
  const server = new P2pServer({
    nodeKey: secretKey,
    clientName: 'Quorate',
    protocols: [],
    maxPeers: 1,
    listen: { host: '127.0.0.1', port: 0 },
    staticNodes: [],
    trustedNodes: [],
    log,
  });
  const argv = [
    '--datadir',
    folder,
    '--ipcdisable',
    '--http',
    '--http.port',
    '0',
    '--http.api',
    ALL_APIS,
  ];
  const id = bareHex(secp256k1().publicKey(secretKey));
  const info = () => ({
    clientVersion: 'Quorate/v0.0.0/test',
    enode: `enode://${id}@127.0.0.1:0`,
    id,
    ip: '127.0.0.1',
    discoveryPort: 0,
    record: undefined,
    listenPort: 0,
    networkId: Number(genesis.config.chainId ?? 1n),
    dataDirectory: folder,
    config: genesis.config,
    genesisHash: node.chain.store.hashOf(0)!,
    address: addressOfSecretKey(secretKey),
  });
  const nodeOptions = parseOptions(NODE_ROWS, { argv: [...argv, ...(options.argv ?? [])] });
  const access = options.access ?? accessControlOf(nodeOptions, log, {});
  const files = new ChainFiles({
    node,
    timers: systemTimers,
    log,
    fatal: (error) => log('error', String(error)),
  });
  const collections = new GcPauses();
  collections.start();
  const api = composeApi({
    node,
    accounts: options.wallet ?? accounts,
    manager,
    kv: new MemoryKv(),
    timers: systemTimers,
    privateStates: options.privateStates ?? SINGLE_PRIVATE_STATE,
    admin: nodeAdmin(node, server, info, () => accounts.addresses()[0], { files, collections }),
    config: ledgerConfig(nodeOptions),
    access,
    log,
    audit: options.audit,
    readers: (settings) => readerHere(disk, genesis.config, settings, log),
  });
  for (const part of api.parts) await part.start();
  return {
    node,
    accounts,
    ...api,
    async call(method, ...params) {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const reply = JSON.parse(await api.dispatcher.handle(request, IPC));
      if (reply.error) throw Object.assign(new Error(reply.error.message), reply.error);
      return reply.result;
    },
    async close() {
      collections.stop();
      await files.stop();
      for (const part of api.parts) await part.stop();
      access.close();
      await node.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function lonelyNode(
  options: RpcNodeOptions,
  manager: ConnectedManager,
  log: Log,
  disk: MemoryDisk,
): Promise<LedgerNode & { stop(): Promise<void> }> {
  const { genesis, secretKey, isMining, privateStates, permissions, time, argv = [] } = options;
  const kv = disk.kv('index');
  const store = await ChainStore.open({ log: disk.log('blocks'), kv, clock: systemClock });
  await ensureFirstBlock(store, genesis);
  const node = composeNode(
    {
      clock: time ?? systemClock,
      calendar: time ?? systemClock,
      timers: time ?? systemTimers,
      effort: systemEffort,
      entropy: systemEntropy,
      log,
      links: { send: () => {}, drop: () => {}, events: () => {} },
      store,
      kv,
      votes: new VoteFile(disk.slots('votes'), disk.slots('votes-written')),
      journal: new TransactionJournal(disk.log('journal')),
      manager,
      accounts: options.accountIndex,
      signer: {
        address: addressOfSecretKey(secretKey),
        sign: (hash) => sign65(hash, secretKey),
        recover: recoverAddress,
      },
      fatal: (error) => {
        throw error;
      },
    },
    {
      config: genesis.config,
      networkId: genesis.config.chainId ?? 1n,
      consensusDefaults: {},
      pool: poolLimits(parseOptions(NODE_ROWS, { argv })),
      builder: { gasFloor: 700_000_000n, gasCeiling: 800_000_000n, vanity: new Uint8Array(0) },
      isMining: isMining ?? false,
      ...(privateStates ? { privateStates } : {}),
      ...(permissions ? { permissions } : {}),
    },
  );
  for (const part of node.parts) await part.start();
  return {
    ...node,
    async stop() {
      for (const part of [...node.parts].reverse()) await part.stop();
      await store.close();
    },
  };
}

const IPC = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'test' } as const;

/** Runs a reader on this thread, with the code of a reader thread. */
function readerHere(
  disk: MemoryDisk,
  config: ChainConfig,
  { tenants, looks, limits }: ReaderSettings,
  log: Log,
): ReaderThreads {
  const chain = new ChainReplica({ log: disk.log('blocks'), kv: disk.kv('index') });
  const states = tenants ? residentPrivateStates(tenants) : SINGLE_PRIVATE_STATE;
  const reader = new Reader({
    chain,
    viewOf: openViews({ chain, config, states, looks }),
    hasPrivateStates: config.isQuorum,
    limits,
    clock: systemClock,
    log,
  });
  return {
    start: () => {},
    run: async (job) => structuredClone(await reader.run(copied(job), () => false)),
    stop: () => Promise.resolve(),
  };
}

function copied(job: ReadJob): ReadJob {
  try {
    return structuredClone(job);
  } catch (error) {
    throw notSent(error);
  }
}
