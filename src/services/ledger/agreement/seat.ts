/**
 * The thread's side of the message channel: passes messages to agreement, other peer messages to
 * the main thread, and carries out the main thread's requests about peers.
 */
import { type Address, keyOf } from '../../../core/base/bytes.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { finish, type Slices } from '../../../core/base/pace.ts';
import type {
  Clock,
  LinkEvent,
  Links,
  Log,
  PeerId,
  PeerMessage,
  Timers,
} from '../../../core/base/ports.ts';
import { addressOfPublicKey } from '../../../core/base/secp256k1.ts';
import type { ConsensusSigner } from '../../../core/consensus/bft/interface.ts';
import type { NodePermits } from '../../../core/permission/connections.ts';
import { isConsensusCode } from '../../../core/wire/istanbul.ts';
import type { P2pServer } from '../../../io/p2p/server.ts';
import { Agreement } from '../node/consensus/agreement.ts';
import { ConsensusPeers } from '../node/consensus/consensus-peers.ts';
import type { VoteStore } from '../node/consensus/memory-watch.ts';
import { FarChain } from './far-chain.ts';
import {
  type FromAgreement,
  failureOf,
  type OfSession,
  type Session,
  type ToAgreement,
} from './messages.ts';
import type { NearRaft } from './near-raft.ts';
import { alone, type Outbox } from './outbox.ts';

/** Overhead of a waiting message beyond its bytes. */
const MESSAGE_OVERHEAD_BYTES = 512;

type PeerServer = Pick<
  P2pServer,
  | 'start'
  | 'listening'
  | 'charge'
  | 'addPeer'
  | 'addTrustedPeer'
  | 'removePeer'
  | 'removeTrustedPeer'
>;

interface PeerSession {
  readonly number: Session;
  /** Size of the messages that the main thread has not handled yet. */
  backlog: number;
}

export interface SeatParts {
  readonly server: PeerServer;
  /** The messages of this peer. */
  readonly links: Links;
  readonly outbox: Outbox<FromAgreement>;
  readonly votes: VoteStore;
  readonly signer: ConsensusSigner;
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Sets the contracts' rules for nodes. */
  permit(permits: NodePermits | undefined): void;
  /** For a member of a Raft cluster only. */
  readonly raft?: NearRaft | undefined;
  /** Called when the main thread asks this thread to end. */
  end(): void;
}

export class Seat {
  private readonly parts: SeatParts;
  private readonly peers: ConsensusPeers;
  private readonly chain: FarChain;
  private readonly agreement: Agreement;
  private validators = new Set<string>();
  private readonly sessions = new Map<PeerId, PeerSession>();
  private lastSession = 0;

  constructor(parts: SeatParts) {
    const { outbox, timers, links, log } = parts;
    this.parts = parts;
    this.peers = new ConsensusPeers(links, log);
    this.chain = new FarChain(outbox, timers);
    this.agreement = new Agreement({
      ...parts,
      peers: this.peers,
      chain: this.chain,
      timers: {
        yield: timers.yield,
        set: (delayMs, fire) => timers.set(delayMs, this.acting(fire)),
      },
      fatal: (error) => outbox.say({ kind: 'fatal', error: failureOf(error) }),
    });
    links.events((event) => {
      const address = event.kind === 'message' ? this.validatorOf(event) : undefined;
      if (event.kind === 'message' && address) return this.receive(address, event.message);
      this.handOn(event);
      return undefined;
    });
  }

  isValidator(id: PeerId): boolean {
    return this.validators.has(keyOf(addressOfPublicKey(fromHex(id))));
  }

  backlog(id: PeerId): number {
    return this.sessions.get(id)?.backlog ?? 0;
  }

  stop(): void {
    this.agreement.stop();
  }

  /** A signature that agreement awaits is there. */
  signed(): void {
    this.acting(() => this.agreement.signed())();
  }

  take(message: ToAgreement): void {
    this.acting(() => this.route(message))();
  }

  /** Wraps `work`, after which the engine may no longer need some of its requests. */
  private acting(work: () => void): () => void {
    return () => {
      work();
      this.chain.look();
    };
  }

  /** The address of a peer, if its message is for agreement. */
  private validatorOf({ peer, message }: LinkEvent & { kind: 'message' }): Address | undefined {
    const { protocol, code } = message;
    if (protocol !== 'istanbul' || !isConsensusCode(code)) return undefined;
    return this.peers.addressOf(peer);
  }

  private receive(from: Address, { code, bytes }: PeerMessage): Slices<void> | undefined {
    let work: Slices<void> | undefined;
    this.acting(() => {
      work = this.agreement.receive(from, code, bytes);
    })();
    return work && this.actingIn(work);
  }

  /**
   * A message that arrived before the peer was confirmed, returned by the main thread: rare, so
   * handled without slices.
   */
  private receiveLate(from: Address, code: number, bytes: Uint8Array): void {
    const work = this.agreement.receive(from, code, bytes);
    if (work) finish(work);
  }

  private *actingIn(work: Slices<void>): Slices<void> {
    for (let isOver: boolean | undefined = false; !isOver; ) {
      this.acting(() => {
        isOver = work.next().done;
      })();
      if (!isOver) yield;
    }
  }

  private handOn(event: LinkEvent): void {
    const { outbox } = this.parts;
    const id = event.kind === 'joined' ? event.peer.id : event.peer;
    if (event.kind === 'joined') this.sessions.set(id, { number: ++this.lastSession, backlog: 0 });
    const session = this.sessions.get(id);
    if (!session) return;
    if (event.kind === 'left') this.sessions.delete(id);
    if (event.kind !== 'message') {
      outbox.say({ kind: 'link', event, session: session.number });
      return;
    }
    const { message } = event;
    const bytes = alone(message.bytes);
    session.backlog += bytes.length + MESSAGE_OVERHEAD_BYTES;
    const handed = { ...event, message: { ...message, bytes } };
    outbox.say({ kind: 'link', event: handed, session: session.number }, bytes);
  }

  /** Undefined: the session has ended; the peer may have a new one. */
  private current({ peer, session }: OfSession): PeerSession | undefined {
    const found = this.sessions.get(peer);
    return found?.number === session ? found : undefined;
  }

  private taken(message: OfSession & { readonly bytes: number; readonly ms: number }): void {
    const session = this.current(message);
    if (!session) return;
    session.backlog -= message.bytes + MESSAGE_OVERHEAD_BYTES;
    this.parts.server.charge(message.peer, message.ms);
  }

  private route(message: ToAgreement): void {
    const { agreement } = this;
    const { server, links } = this.parts;
    switch (message.kind) {
      case 'begin':
      case 'committed':
        agreement[message.kind](message.position);
        break;
      case 'transactionsPending':
      case 'stop':
        agreement[message.kind]();
        break;
      case 'joined':
        if (this.current({ peer: message.args[0].id, session: message.session }))
          agreement.joined(...message.args);
        break;
      case 'left':
        agreement.left(...message.args);
        break;
      case 'told':
        agreement.told(...message.args);
        break;
      case 'receive':
        this.receiveLate(...message.args);
        break;
      case 'answer':
        this.chain.answered(message);
        break;
      case 'raft':
        this.parts.raft?.take(message.told);
        break;
      case 'validators':
        this.validators = new Set(message.validators.map(keyOf));
        break;
      case 'permits':
        this.parts.permit(message.permits);
        break;
      case 'send':
        if (this.current(message)) links.send(message.peer, message.message);
        break;
      case 'drop':
        if (this.current(message)) links.drop(message.peer, message.reason);
        break;
      case 'taken':
        this.taken(message);
        break;
      case 'addPeer':
      case 'addTrustedPeer':
        server[message.kind](message.node);
        break;
      case 'removePeer':
      case 'removeTrustedPeer':
        server[message.kind](message.peer);
        break;
      case 'listen':
        void this.listen();
        break;
      case 'end':
        this.parts.end();
        break;
    }
  }

  private async listen(): Promise<void> {
    const { server, outbox } = this.parts;
    try {
      await server.start();
      outbox.say({ kind: 'listening', at: server.listening });
    } catch (error) {
      outbox.say({ kind: 'refused', error: failureOf(error) });
    }
  }
}
