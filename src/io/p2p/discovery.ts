/** Node discovery over UDP: provides socket and clock for `core/discovery`. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Hash32 } from '../../core/base/bytes.ts';
import { hasCode } from '../../core/base/errors.ts';
import { type NodeKey, nodeKeyOf } from '../../core/base/node-key.ts';
import type { Log } from '../../core/base/ports.ts';
import { Prng } from '../../core/base/prng.ts';
import { Discovery, type DiscoveryInput } from '../../core/discovery/discovery.ts';
import { discoveredNode } from '../../core/discovery/node.ts';
import {
  recordContent,
  recordHash,
  recordText,
  sealRecord,
} from '../../core/discovery/node-record.ts';
import type { Enode } from '../../core/wire/enode.ts';
import { steadyClock, systemClock } from '../host/clock.ts';
import { systemEntropy } from '../host/entropy.ts';
import { listenFault } from '../http/listen.ts';
import { plainAddress } from './addresses.ts';
import type { NetRestrict } from './net-restrict.ts';
import type { DiscoveryOptions, P2pOptions } from './server-options.ts';

const TICK_MS = 200;
/** Interval at which a bootnode's name that does not resolve is resolved again. */
const RESOLVE_MS = 60_000;

/** Starts discovery for a server that listens at this port; undefined: it has no discovery. */
export function discoveryOf(
  { discovery, listen, nodeKey, log }: P2pOptions,
  listening: { readonly port: number } | undefined,
  networks: NetRestrict | undefined,
): DiscoveryService | undefined {
  if (!discovery || !listen || !listening) return undefined;
  return new DiscoveryService({
    ...{ ...discovery, nodeKey: nodeKeyOf(nodeKey), log, networks, host: listen.host },
    ...{ tcpPort: listening.port, isAnyPort: listen.port === 0 },
  });
}

interface Parts extends DiscoveryOptions {
  readonly nodeKey: NodeKey;
  readonly host: string;
  /** The UDP port with the same number is used. */
  readonly tcpPort: number;
  /** Whether another port may be used if that one is taken. */
  readonly isAnyPort: boolean;
  readonly networks: NetRestrict | undefined;
  readonly log: Log;
}

export class DiscoveryService {
  private readonly parts: Parts;
  private readonly socket: Socket;
  private readonly isIpv6: boolean;
  private discovery: Discovery | undefined;
  private ticker: NodeJS.Timeout | undefined;
  private resolver: NodeJS.Timeout | undefined;
  private port = 0;

  constructor(parts: Parts) {
    this.parts = parts;
    this.isIpv6 = isIP(parts.host) === 6;
    this.socket = createSocket(this.isIpv6 ? 'udp6' : 'udp4');
  }

  /** Rejects with P2P_LISTEN_FAILED. */
  async start(): Promise<void> {
    const { nodeKey, externalIp, host, tcpPort, networks } = this.parts;
    this.port = await this.bind();
    const ip =
      externalIp ?? (/^(0\.0\.0\.0|::)$/.test(host) || isIP(host) === 0 ? '127.0.0.1' : host);
    const self = { ip, udp: this.port, tcp: tcpPort };
    const recordSeq = BigInt(systemClock.nowMs());
    const content = recordContent(nodeKey.publicKey, recordSeq, self);
    this.discovery = new Discovery({
      publicKey: nodeKey.publicKey,
      sign: (hash) => this.sign(hash),
      ...{ self, recordSeq },
      record: sealRecord(content, await nodeKey.sign(recordHash(content))),
      unixSeconds: () => Math.floor(systemClock.nowMs() / 1_000),
      chance: new Prng(new DataView(systemEntropy.bytes(4).buffer).getUint32(0)),
      mayReach: (address) => networks?.contains(address) ?? true,
    });
    this.socket.on('message', (bytes, from) => this.arrived(bytes, from));
    this.socket.on('error', (error) =>
      this.parts.log('warn', 'Discovery socket failed', { error }),
    );
    await this.resolve();
    this.ticker = setInterval(() => this.step({ kind: 'tick' }), TICK_MS);
  }

  stop(): void {
    clearInterval(this.ticker);
    clearTimeout(this.resolver);
    this.discovery = undefined;
    this.socket.close();
  }

  /** The UDP port, and this node's record as text. */
  get listening(): { readonly port: number; readonly record: string } | undefined {
    return this.discovery && { port: this.port, record: recordText(this.discovery.record) };
  }

  /** Nodes whose address is proven. */
  nodes(): Enode[] {
    const found = this.discovery?.nodes() ?? [];
    return found.map(({ id, publicKey, ip, tcp, udp }) => ({
      ...{ id, publicKey, host: ip, tcpPort: tcp, udpPort: udp, raftPort: undefined },
    }));
  }

  private async bind(): Promise<number> {
    const { tcpPort, isAnyPort } = this.parts;
    try {
      return await this.bindTo(tcpPort);
    } catch (error) {
      if (isAnyPort && hasCode(error, 'EADDRINUSE')) return this.bindTo(0);
      const at = { kind: 'tcp', host: this.parts.host, port: tcpPort } as const;
      throw listenFault(at, error, 'P2P_LISTEN_FAILED');
    }
  }

  private bindTo(port: number): Promise<number> {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address: this.parts.host, port }, () => {
        socket.removeListener('error', reject);
        resolve(socket.address().port);
      });
    });
  }

  /** Resolves names of bootnodes; one that does not resolve is resolved again later. */
  private async resolve(): Promise<void> {
    const { bootnodes, log } = this.parts;
    let isWhole = true;
    const found = await Promise.all(
      bootnodes.map(async ({ host, publicKey, udpPort, tcpPort }) => {
        try {
          const ip = isIP(host!) === 0 ? (await lookup(host!)).address : host!;
          return [discoveredNode(publicKey, { ip, udp: udpPort, tcp: tcpPort })];
        } catch (error) {
          isWhole = false;
          log('warn', 'The name of a bootnode does not resolve', { host, error });
          return [];
        }
      }),
    );
    this.step({ kind: 'bootnodes', nodes: found.flat() });
    if (!isWhole && this.discovery)
      this.resolver = setTimeout(() => void this.resolve(), RESOLVE_MS);
  }

  private arrived(bytes: Uint8Array, { address, port }: RemoteInfo): void {
    // A link-local address includes the name of its interface.
    const ip = plainAddress(address).split('%')[0]!;
    this.step({ kind: 'packet', from: { ip, port }, bytes });
  }

  /** A packet that cannot be signed in time counts as lost. */
  private sign(hash: Hash32): Uint8Array | undefined {
    const signature = this.parts.nodeKey.sign(hash);
    if (!(signature instanceof Promise)) return signature;
    signature.then(
      (arrived) => this.step({ kind: 'signed', hash, signature: arrived }),
      () => undefined,
    );
    return undefined;
  }

  private step(input: DiscoveryInput): void {
    for (const { to, bytes } of this.discovery?.step(input, steadyClock.nowMs()) ?? []) {
      const isMapped = this.isIpv6 && isIP(to.ip) === 4;
      if (!this.isIpv6 && isIP(to.ip) === 6) continue;
      // A packet that cannot be sent counts as lost.
      this.socket.send(bytes, to.port, isMapped ? `::ffff:${to.ip}` : to.ip, () => undefined);
    }
  }
}
