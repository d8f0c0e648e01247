/** One connection to a peer: key agreement, Hello, messages, Disconnect. */
import type { Socket } from 'node:net';
import { concatBytes, equalBytes } from '../../core/base/bytes.ts';
import { bareHex } from '../../core/base/hex.ts';
import type { Slices } from '../../core/base/pace.ts';
import {
  type Capability,
  protocolOfCode,
  type SharedProtocol,
  sharedProtocols,
} from '../../core/wire/capabilities.ts';
import {
  BASE_MESSAGE,
  BASE_MESSAGE_BYTES_MAX,
  BASE_PROTOCOL_LENGTH,
  DISCONNECT,
  decodeDisconnect,
  encodeDisconnect,
} from '../../core/wire/disconnect.ts';
import { decodeHello, encodeHello, SNAPPY_BASE_VERSION } from '../../core/wire/hello.ts';
import { steadyClock } from '../host/clock.ts';
import { hostPort } from './addresses.ts';
import { KeyAgreement } from './key-agreement.ts';
import {
  BURDEN_BYTES,
  BYTES_BURST_MAX,
  BYTES_PER_SECOND_MAX,
  HANDSHAKE_BUFFER_BYTES_MAX,
  MESSAGE_BYTES_MAX,
  MESSAGES_BURST_MAX,
  MESSAGES_PER_SECOND_MAX,
  MS_BURST_MAX,
  MS_PER_SECOND_MAX,
  WRITE_BUFFER_BYTES_MAX,
  WRITE_BUFFER_PAUSE_BYTES,
} from './limits.ts';
import { reasonOfFault } from './peer-fault.ts';
import type { PeerHost } from './peer-host.ts';
import { PeerWriter } from './peer-writer.ts';
import { type Frame, RlpxSession } from './rlpx-session.ts';
import { TokenBucket } from './token-bucket.ts';

const EMPTY_LIST = Uint8Array.of(0xc0);
/** Consensus: its messages do not wait behind others. */
const URGENT_PROTOCOL = 'istanbul';

type Phase = 'agreeing' | 'greeting' | 'running' | 'over';

export class PeerConnection {
  readonly inbound: boolean;
  readonly socket: Socket;
  /** Set by the server for a connection that it dialled. */
  readonly dialled: string | undefined;
  remoteKey: Uint8Array | undefined;
  /** Hex of remoteKey; '' before the key agreement of an inbound connection. */
  id = '';
  clientName = '';
  offered: readonly Capability[] = [];
  shared: readonly SharedProtocol[] = [];
  listenPort = 0;
  private phase: Phase = 'agreeing';
  private readonly host: PeerHost<PeerConnection>;
  private readonly agreement: KeyAgreement;
  private early: Uint8Array = new Uint8Array(0);
  private session: RlpxSession | undefined;
  private writer: PeerWriter | undefined;
  private readonly startedMs: number;
  private lastReadMs: number;
  private lastPingMs: number;
  private lastWriteMs: number;
  private paused = false;
  private waits = false;
  /** Why the socket is closed. */
  private loss: string | undefined;
  /** Unfinished work for the peer's last message. */
  private work: Slices<void> | undefined;
  private readonly place: number;
  private readonly messages: TokenBucket;
  private readonly bytes: TokenBucket;
  private readonly ms: TokenBucket;

  /** `target` is the node key of a peer that we dialled: it makes us the initiator. */
  constructor(
    host: PeerHost<PeerConnection>,
    socket: Socket,
    target?: { key: Uint8Array; enode: string },
  ) {
    this.host = host;
    this.socket = socket;
    this.inbound = target === undefined;
    this.dialled = target?.enode;
    const nowMs = steadyClock.nowMs();
    this.startedMs = nowMs;
    this.lastReadMs = nowMs;
    this.lastPingMs = nowMs;
    this.lastWriteMs = nowMs;
    this.messages = new TokenBucket(MESSAGES_PER_SECOND_MAX, MESSAGES_BURST_MAX, nowMs);
    this.bytes = new TokenBucket(BYTES_PER_SECOND_MAX, BYTES_BURST_MAX, nowMs);
    this.ms = new TokenBucket(MS_PER_SECOND_MAX, MS_BURST_MAX, nowMs);
    this.place = host.turns.newPlace();
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.received(chunk));
    socket.on('error', (error) => this.lost(error.message));
    socket.on('close', () => this.lost('connection closed'));
    socket.on('drain', () => this.resumeReading(steadyClock.nowMs()));
    this.remoteKey = target?.key;
    if (target) this.id = bareHex(target.key);
    this.agreement = new KeyAgreement(host.key, {
      target: target?.key,
      write: (packet) => socket.write(packet),
      arrived: () => this.proceed(),
      failed: (error) => this.finish(DISCONNECT.networkError, false, (error as Error).message),
    });
  }

  /** The peer's URL, with the address from which it connects. */
  get enode(): string {
    const { remoteAddress, remotePort } = this.socket;
    return `enode://${this.id}@${hostPort(remoteAddress, remotePort)}`;
  }

  get running(): boolean {
    return this.phase === 'running';
  }

  get over(): boolean {
    return this.phase === 'over';
  }

  /** Bytes held here: of incomplete messages, and of data that the peer has not read. */
  get heldBytes(): number {
    return this.unreadBytes + (this.session?.bufferedBytes ?? 0) + this.host.backlog(this);
  }

  /** Data that the peer has not read. */
  private get unreadBytes(): number {
    return this.socket.writableLength + (this.writer?.waitingBytes ?? 0);
  }

  /**
   * Queues one message; messages of one turn of the event loop are sent in one write. False: it is
   * not sent, because the connection is closed, or because peers accept no message so long and
   * would end the session.
   */
  send(protocol: string, code: number, bytes: Uint8Array): boolean {
    const shared = this.shared.find((p) => p.name === protocol);
    if (this.phase !== 'running' || !shared || code >= shared.length) return false;
    if (bytes.length > MESSAGE_BYTES_MAX) return false;
    this.write(shared.offset + code, bytes, protocol === URGENT_PROTOCOL);
    if (this.unreadBytes > WRITE_BUFFER_BYTES_MAX) {
      this.disconnect(DISCONNECT.networkError, 'does not read what it is sent');
    } else if (this.heldBytes > BURDEN_BYTES) this.host.burdened();
    return true;
  }

  /** Sends the reason to the peer (except for network errors) and closes. */
  disconnect(reason: number, detail: string): void {
    if (this.phase === 'over') return;
    if (this.session && reason !== DISCONNECT.networkError) {
      this.write(BASE_MESSAGE.disconnect, encodeDisconnect(reason));
    }
    this.finish(reason, false, detail);
  }

  /** Checks time limits, sends pings and throttles; called every `sweepMs`. */
  sweep(nowMs: number): void {
    const { timings } = this.host;
    if (this.phase === 'over') return;
    if (this.phase !== 'running') {
      if (nowMs - this.startedMs > timings.handshakeMs) {
        this.disconnect(DISCONNECT.readTimeout, 'handshake timeout');
      } else if (this.paused) this.resumeReading(nowMs);
      return;
    }
    if (this.socket.writableLength === 0) this.lastWriteMs = nowMs;
    else if (nowMs - this.lastWriteMs > timings.writeMs) {
      this.finish(DISCONNECT.networkError, false, 'write timeout');
      return;
    }
    if (this.paused) this.resumeReading(nowMs);
    else if (!this.waits && nowMs - this.lastReadMs > timings.readMs) {
      this.disconnect(DISCONNECT.readTimeout, 'read timeout');
      return;
    }
    if (nowMs - this.lastPingMs >= timings.pingMs) {
      this.lastPingMs = nowMs;
      this.write(BASE_MESSAGE.ping, EMPTY_LIST);
    }
  }

  /** Called when other code has spent this many ms on a message of this peer. */
  charge(ms: number): void {
    const nowMs = steadyClock.nowMs();
    this.ms.take(ms, nowMs);
    this.resumeReading(nowMs);
  }

  private received(chunk: Buffer): void {
    if (this.phase === 'over') return;
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
    if (this.session) this.session.push(bytes);
    else this.early = concatBytes(this.early, bytes);
    this.proceed();
    if (!this.over && this.heldBytes > BURDEN_BYTES) this.host.burdened();
  }

  /** Processes received bytes while this turn has time; the rest follows in a later turn. */
  private proceed(): void {
    const { turns } = this.host;
    const charge = (ms: number) => this.ms.take(ms, steadyClock.nowMs());
    try {
      while (!this.over && !this.paused && !this.waits) {
        if (!turns.mayGoOn) this.waitForTurn();
        else if (!turns.run(this.place, () => this.step(), charge)) return;
        else this.throttle();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** Waits for a later turn; until then nothing more is read. */
  private waitForTurn(): void {
    this.waits = true;
    this.socket.pause();
    this.host.turns.wait(this.place, () => {
      this.waits = false;
      this.proceed();
      if (this.waits || this.over) return;
      if (this.loss !== undefined) this.lost(this.loss);
      else if (!this.paused) this.socket.resume();
    });
  }

  /** What the peer sent before, perhaps why it leaves, is processed first, in its turn. */
  private lost(why: string): void {
    this.loss ??= why;
    if (!this.waits) this.finish(DISCONNECT.networkError, false, this.loss);
  }

  /** Does one piece of work; false when there is nothing to do until more bytes arrive. */
  private step(): boolean {
    if (this.work) {
      if (this.work.next().done) this.work = undefined;
      return true;
    }
    if (!this.session) return this.agree();
    const bytesMax = this.running ? MESSAGE_BYTES_MAX : BASE_MESSAGE_BYTES_MAX;
    const frame = this.session.next(bytesMax);
    if (!frame) return false;
    if (frame === 'more') return true;
    const nowMs = steadyClock.nowMs();
    this.lastReadMs = nowMs;
    this.messages.take(1, nowMs);
    this.bytes.take(frame.bytes.length, nowMs);
    if (this.running) this.handle(frame);
    else this.greet(frame);
    return true;
  }

  /**
   * Key agreement: answers the packet once it is complete, and passes the following bytes to the
   * session.
   */
  private agree(): boolean {
    const agreed = this.agreement.read(this.early);
    if (!agreed) {
      if (this.early.length > HANDSHAKE_BUFFER_BYTES_MAX) {
        this.finish(DISCONNECT.breachOfProtocol, false, 'handshake too long');
      }
      return false;
    }
    this.remoteKey = agreed.remoteKey;
    this.id = bareHex(agreed.remoteKey);
    const session = new RlpxSession(agreed.secrets);
    this.session = session;
    this.writer = new PeerWriter({
      socket: this.socket,
      session,
      turns: this.host.turns,
      wrote: () => {
        this.lastWriteMs = steadyClock.nowMs();
      },
      failed: (error) => this.fail(error),
    });
    this.session.push(this.early.subarray(agreed.used));
    this.early = new Uint8Array(0);
    this.phase = 'greeting';
    const verdict = this.host.identified(this);
    if (verdict === 'silent') this.finish(DISCONNECT.authError, false, 'not permitted');
    else if (verdict !== undefined) this.disconnect(verdict, 'refused after the handshake');
    else this.write(BASE_MESSAGE.hello, encodeHello(this.host.hello));
    return true;
  }

  private greet(frame: Frame): void {
    if (frame.code === BASE_MESSAGE.disconnect) {
      this.finish(decodeDisconnect(frame.bytes), true, 'disconnect before hello');
      return;
    }
    if (frame.code !== BASE_MESSAGE.hello) {
      this.disconnect(DISCONNECT.breachOfProtocol, `expected handshake, got ${frame.code}`);
      return;
    }
    const hello = decodeHello(frame.bytes);
    this.session!.compressed = hello.version >= SNAPPY_BASE_VERSION;
    if (hello.id.length !== 64 || hello.id.every((byte) => byte === 0)) {
      this.disconnect(DISCONNECT.invalidIdentity, 'invalid node identity in hello');
      return;
    }
    if (!equalBytes(hello.id, this.remoteKey!)) {
      this.disconnect(DISCONNECT.unexpectedIdentity, 'hello names another node');
      return;
    }
    this.clientName = hello.clientName;
    this.offered = hello.capabilities;
    this.listenPort = hello.listenPort;
    this.shared = sharedProtocols(this.host.protocols, hello.capabilities);
    if (this.shared.length === 0) {
      this.disconnect(DISCONNECT.uselessPeer, 'no matching protocols');
      return;
    }
    this.phase = 'running';
    const refused = this.host.greeted(this);
    if (refused !== undefined) this.disconnect(refused, 'refused after hello');
  }

  private handle(frame: Frame): void {
    if (frame.code >= BASE_PROTOCOL_LENGTH) {
      const protocol = protocolOfCode(this.shared, frame.code);
      if (!protocol) {
        this.disconnect(DISCONNECT.breachOfProtocol, `msg code out of range: ${frame.code}`);
        return;
      }
      this.work = this.host.message(this, protocol, frame.code - protocol.offset, frame.bytes);
      return;
    }
    if (frame.code === BASE_MESSAGE.ping) this.write(BASE_MESSAGE.pong, EMPTY_LIST);
    else if (frame.code === BASE_MESSAGE.disconnect) {
      this.finish(decodeDisconnect(frame.bytes), true, 'peer disconnected');
    }
    // Other messages of the base protocol are ignored, as in GoQuorum.
  }

  /** Stops reading from a peer that floods, costs too much, or does not read its replies. */
  private throttle(): void {
    if (this.over || !this.isTooMuch()) return;
    this.paused = true;
    this.socket.pause();
  }

  private isTooMuch(): boolean {
    if (this.messages.empty || this.bytes.empty || this.ms.empty) return true;
    const waiting = Math.max(this.unreadBytes, this.host.backlog(this));
    return waiting > WRITE_BUFFER_PAUSE_BYTES;
  }

  private resumeReading(nowMs: number): void {
    if (!this.paused || this.over) return;
    for (const bucket of [this.messages, this.bytes, this.ms]) bucket.take(0, nowMs);
    if (this.isTooMuch()) return;
    this.paused = false;
    this.lastReadMs = nowMs;
    this.proceed();
    if (!this.paused && !this.waits && !this.over) this.socket.resume();
  }

  private write(code: number, bytes: Uint8Array, isUrgent = false): void {
    this.writer!.write(code, bytes, isUrgent);
  }

  /** Invalid bytes end the session, as the peer's fault. Any other error is ours, and logged. */
  private fail(error: unknown): void {
    const reason = reasonOfFault(error);
    if (reason !== undefined) {
      this.disconnect(reason, (error as Error).message);
      return;
    }
    this.host.failed(this, error);
    this.disconnect(DISCONNECT.subprotocolError, 'internal fault');
  }

  private finish(reason: number, remote: boolean, detail: string): void {
    if (this.phase === 'over') return;
    this.phase = 'over';
    this.early = new Uint8Array(0);
    this.work = undefined;
    this.writer?.end();
    this.host.turns.forget(this.place);
    const { socket } = this;
    const goodbye = setTimeout(() => socket.destroy(), this.host.timings.goodbyeMs);
    goodbye.unref();
    socket.once('close', () => clearTimeout(goodbye));
    // Data that still arrives is read and discarded: a TCP reset would lose our Disconnect.
    socket.resume();
    if (socket.connecting || socket.destroyed) socket.destroy();
    else socket.end();
    this.host.ended(this, { reason, remote, detail });
  }
}
