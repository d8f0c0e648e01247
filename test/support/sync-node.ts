/**
 * A minimal node: real RLPx, Status, serving and sync over a chain in memory. Executes and verifies
 * nothing.
 */
import { randomBytes } from 'node:crypto';
import { type Hash32, keyOf } from '../../src/core/base/bytes.ts';
import { finish } from '../../src/core/base/pace.ts';
import { EthHandshake, type HandshakeInput } from '../../src/core/sync/eth-handshake.ts';
import { type ServedChain, serve } from '../../src/core/sync/serve.ts';
import { Sync } from '../../src/core/sync/sync.ts';
import type { SyncBlock, SyncInput } from '../../src/core/sync/sync-types.ts';
import { ETH_66, ETH_68, ISTANBUL_100 } from '../../src/core/wire/capabilities.ts';
import { type Enode, parseEnode } from '../../src/core/wire/enode.ts';
import { decodeEth, ETH_MESSAGE } from '../../src/core/wire/eth.ts';
import { encodeGetBlockHeaders, encodeHashRequest } from '../../src/core/wire/eth-encode.ts';
import { encodeStatus } from '../../src/core/wire/eth-status.ts';
import { P2pServer } from '../../src/io/p2p/server.ts';

export interface MemoryBlock {
  readonly hash: Hash32;
  readonly rawHeader: Uint8Array;
  readonly rawBody: Uint8Array;
}

export interface SyncNodeOptions {
  /** From the genesis block on; each block has difficulty 1. */
  readonly chain: readonly MemoryBlock[];
  readonly networkId: bigint;
  readonly forkId: { readonly hash: number; readonly next: bigint };
  readonly staticNodes?: readonly Enode[];
  readonly port?: number;
}

export class SyncNode {
  readonly chain: MemoryBlock[];
  readonly server: P2pServer;
  readonly sync: Sync;
  readonly faults: string[] = [];
  /** The number of peers' messages, by kind. */
  readonly heard = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private readonly handshake: EthHandshake;
  private readonly versions = new Map<string, number>();
  private ticker: NodeJS.Timeout | undefined;

  constructor(options: SyncNodeOptions) {
    this.chain = [...options.chain];
    for (const [number, block] of this.chain.entries()) this.numbers.set(keyOf(block.hash), number);
    const genesis = this.chain[0]!.hash;
    const { networkId, forkId } = options;
    this.handshake = new EthHandshake({
      status: () => ({ networkId, td: this.head.td, head: this.head.hash, genesis, forkId }),
      forkFault: (id) => (id.hash === forkId.hash ? undefined : 'remote needs update'),
    });
    this.sync = new Sync(this.head);
    this.server = new P2pServer({
      nodeKey: new Uint8Array(randomBytes(32)),
      clientName: 'Quorate/test',
      protocols: [ETH_66, ETH_68, ISTANBUL_100],
      maxPeers: 25,
      listen: { host: '127.0.0.1', port: options.port ?? 0 },
      staticNodes: options.staticNodes ?? [],
      trustedNodes: [],
      log: () => undefined,
    });
    this.listenToPeers();
  }

  get head(): { number: number; hash: Hash32; td: bigint } {
    const number = this.chain.length - 1;
    return { number, hash: this.chain[number]!.hash, td: BigInt(number + 1) };
  }

  get enode(): Enode {
    return parseEnode(
      `enode://${this.server.id}@127.0.0.1:${this.server.listening!.port}?discport=0`,
    );
  }

  async start(): Promise<void> {
    await this.server.start();
    this.ticker = setInterval(() => {
      this.drive({ kind: 'tick' });
      this.greet({ kind: 'tick' });
    }, 50);
  }

  async stop(): Promise<void> {
    clearInterval(this.ticker);
    await this.server.stop();
  }

  private get served(): ServedChain {
    return {
      numberOf: (hash) => this.numbers.get(keyOf(hash)),
      header: (number) => this.chain[number]?.rawHeader,
      body: (number) => this.chain[number]?.rawBody,
      receipts: () => undefined,
      pooled: () => undefined,
    };
  }

  private listenToPeers(): void {
    this.server.events((event) => {
      if (event.kind === 'joined') {
        const version = event.peer.capabilities.get('eth')!;
        this.versions.set(event.peer.id, version);
        this.greet({ kind: 'joined', peer: event.peer.id, version });
      } else if (event.kind === 'left') {
        this.greet({ kind: 'left', peer: event.peer });
        this.drive({ kind: 'left', peer: event.peer });
      } else if (event.message.protocol === 'eth') {
        this.receive(event.peer, event.message.code, event.message.bytes);
      }
      return undefined;
    });
  }

  private receive(peer: string, code: number, bytes: Uint8Array): void {
    if (this.handshake.isWaiting(peer)) {
      this.greet({ kind: 'message', peer, code, bytes });
      return;
    }
    const message = decodeEth(this.versions.get(peer)!, code, bytes);
    this.heard.set(message.kind, (this.heard.get(message.kind) ?? 0) + 1);
    if (message.kind === 'blockHeaders') this.drive({ ...message, kind: 'headers', peer });
    else if (message.kind === 'blockBodies') this.drive({ ...message, kind: 'bodies', peer });
    else {
      const reply = finish(serve(this.served, message));
      if (reply) this.server.send(peer, { protocol: 'eth', ...reply });
    }
  }

  private greet(input: HandshakeInput): void {
    for (const effect of this.handshake.step(input, Date.now())) {
      if (effect.kind === 'sendStatus') {
        const bytes = encodeStatus(effect.status);
        this.server.send(effect.peer, { protocol: 'eth', code: ETH_MESSAGE.status, bytes });
      } else if (effect.kind === 'ready') {
        this.drive({
          kind: 'joined',
          peer: effect.peer,
          head: effect.status.head,
          td: effect.status.td,
        });
      } else {
        this.faults.push(effect.fault);
        this.server.drop(effect.peer, effect.reason);
      }
    }
  }

  private drive(input: SyncInput): void {
    for (const effect of this.sync.step(input, Date.now())) {
      const { kind } = effect;
      if (kind === 'getHeaders') {
        const bytes = encodeGetBlockHeaders(effect.requestId, effect.query);
        this.server.send(effect.peer, {
          protocol: 'eth',
          code: ETH_MESSAGE.getBlockHeaders,
          bytes,
        });
      } else if (kind === 'getBodies') {
        const bytes = encodeHashRequest(effect.requestId, effect.hashes);
        this.server.send(effect.peer, { protocol: 'eth', code: ETH_MESSAGE.getBlockBodies, bytes });
      } else if (kind === 'verifyHeaders') {
        setImmediate(() => this.drive({ kind: 'verified', batch: effect.batch }));
      } else if (kind === 'import') {
        setImmediate(() => this.import(effect.blocks));
      } else {
        this.faults.push(effect.fault);
        this.server.drop(effect.peer, effect.reason);
      }
    }
  }

  private import(blocks: readonly SyncBlock[]): void {
    for (const { hash, raw } of blocks) {
      this.numbers.set(keyOf(hash), this.chain.length);
      this.chain.push({ hash, rawHeader: raw, rawBody: new Uint8Array(0) });
    }
    this.drive({ kind: 'head', head: this.head });
  }
}
