/** Nodes joined in memory: production node code over virtual links and disks, real timers. */

import { bareHex } from '../../src/core/base/hex.ts';
import {
  addressOfSecretKey,
  recoverAddress,
  secp256k1,
  sign65,
} from '../../src/core/base/secp256k1.ts';
import type { Genesis } from '../../src/core/chain/genesis.ts';
import type {
  LinkEvent,
  Links,
  Log,
  Manager,
  PeerInfo,
  PeerMessage,
} from '../../src/core/ports.ts';
import { ChainStore } from '../../src/core/store/chain-store.ts';
import { TransactionJournal } from '../../src/core/store/transaction-journal.ts';
import { VoteFile } from '../../src/core/store/vote-file.ts';
import { systemClock } from '../../src/io/host/clock.ts';
import { systemEntropy } from '../../src/io/host/entropy.ts';
import { systemTimers } from '../../src/io/host/timers.ts';
import { managerNotInUse } from '../../src/io/ptm-client/client.ts';
import { MemoryDisk } from '../../src/io/storage/memory.ts';
import { composeNode, type LedgerNode } from '../../src/services/ledger/node/compose.ts';
import { ensureFirstBlock } from '../../src/services/ledger/node/first-block.ts';

type Sink = (event: LinkEvent) => void;

/** All pairs connected; messages travel in one turn of the event loop. */
export class MemoryHub {
  private readonly sinks = new Map<
    string,
    { info: PeerInfo; sink: Sink | undefined; inbox: LinkEvent[] }
  >();

  links(secretKey: Uint8Array): Links {
    const info = peerInfo(secretKey);
    const own = { info, sink: undefined as Sink | undefined, inbox: [] as LinkEvent[] };
    this.sinks.set(info.id, own);
    return {
      send: (peer, message) =>
        this.deliver(peer, { kind: 'message', peer: info.id, message: copy(message) }),
      drop: (peer) => {
        this.deliver(peer, { kind: 'left', peer: info.id, reason: 0 });
        this.deliver(info.id, { kind: 'left', peer, reason: 0 });
      },
      events: (sink) => {
        own.sink = sink;
        for (const event of own.inbox.splice(0)) sink(event);
      },
    };
  }

  /** Tells everybody of everybody else. */
  connect(): void {
    for (const a of this.sinks.values()) {
      for (const b of this.sinks.values())
        if (a !== b) this.deliver(a.info.id, { kind: 'joined', peer: b.info });
    }
  }

  private deliver(peer: string, event: LinkEvent): void {
    const target = this.sinks.get(peer);
    if (!target) return;
    setImmediate(() => (target.sink ? target.sink(event) : target.inbox.push(event)));
  }
}

function copy(message: PeerMessage): PeerMessage {
  return { ...message, bytes: message.bytes.slice() };
}

function peerInfo(secretKey: Uint8Array): PeerInfo {
  const publicKey = secp256k1().publicKey(secretKey);
  const id = bareHex(publicKey);
  return {
    id,
    address: addressOfSecretKey(secretKey),
    enode: `enode://${id}@127.0.0.1:1`,
    clientName: 'memory',
    capabilities: new Map([
      ['eth', 66],
      ['istanbul', 100],
    ]),
    inbound: false,
    trusted: false,
    static: true,
    remoteAddress: '127.0.0.1:1',
    localAddress: '127.0.0.1:1',
  };
}

export interface MemoryNodeOptions {
  readonly hub: MemoryHub;
  readonly genesis: Genesis;
  readonly secretKey: Uint8Array;
  readonly disk?: MemoryDisk;
  readonly manager?: Manager;
  readonly isMining?: boolean;
  readonly log?: Log;
}

export async function memoryNode(
  options: MemoryNodeOptions,
): Promise<LedgerNode & { stop(): Promise<void> }> {
  const disk = options.disk ?? new MemoryDisk();
  const kv = disk.kv('index');
  const store = await ChainStore.open({
    log: disk.log('blocks'),
    kv,
    clock: systemClock,
  });
  await ensureFirstBlock(store, options.genesis);
  const { secretKey } = options;
  const node = composeNode(
    {
      clock: systemClock,
      timers: systemTimers,
      entropy: systemEntropy,
      log: options.log ?? (() => {}),
      links: options.hub.links(secretKey),
      store,
      kv,
      votes: new VoteFile(disk.slots('votes')),
      journal: new TransactionJournal(disk.log('journal')),
      manager: options.manager ?? managerNotInUse(),
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
      config: options.genesis.config,
      networkId: options.genesis.config.chainId ?? 1n,
      consensusDefaults: {},
      pool: {},
      builder: { gasFloor: 700_000_000n, gasCeiling: 800_000_000n, vanity: new Uint8Array(0) },
      isMining: options.isMining ?? true,
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
