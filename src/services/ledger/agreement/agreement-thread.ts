/**
 * The main thread's handle of the agreement thread. That thread has the peer sessions, the
 * consensus engine and the vote file; the chain is in the main thread, which also receives all
 * other peer messages.
 */
import type { Address } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { LinkEvent, LinkSink, Log, PeerId, PeerMessage } from '../../../core/base/ports.ts';
import type { NodePermits } from '../../../core/permission/connections.ts';
import { DISCONNECT } from '../../../core/wire/disconnect.ts';
import type { Enode } from '../../../core/wire/enode.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { ConnectedPeer, Listening } from '../../../io/p2p/server-options.ts';
import type { Lag, LongestLag } from '../../../io/telemetry/loop-watch.ts';
import type { AgreementPort, ChainSide } from '../node/consensus/agreement.ts';
import type { RaftProtocol } from '../node/consensus/raft-member.ts';
import { FarRaft } from './far-raft.ts';
import { errorOf, type FromAgreement, type Session, type ToAgreement } from './messages.ts';
import { NearChain } from './near-chain.ts';
import { alone, Outbox, type Outlet } from './outbox.ts';
import { PeerInbox } from './peer-inbox.ts';

/** Time that the thread has to end after the request. */
const END_MS = 5_000;
/** The thread reports its lag every second: if it is silent for this long, it is blocked. */
const SILENCE_MS = 2_000;

/** The members of a worker that are used here. */
export interface ThreadEnd extends Outlet {
  on(event: 'message', listener: (messages: readonly FromAgreement[]) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
}

export interface AgreementThreadParts {
  readonly thread: ThreadEnd;
  /** Ends the thread, even while it is busy. */
  end(): Promise<void>;
  /** Derived from the node's key. */
  readonly id: PeerId;
  readonly log: Log;
  /** An internal failure after which the node must stop. */
  fatal(error: unknown): void;
  /** Measures the time of the work for a peer, in ms. */
  readonly costClock?: (() => number) | undefined;
}

export class AgreementThread {
  readonly id: PeerId;
  listening: Listening | undefined;
  private readonly parts: AgreementThreadParts;
  private readonly outbox: Outbox<ToAgreement>;
  private readonly sinks: LinkSink[] = [];
  private readonly inbox: PeerInbox;
  private readonly sessions = new Map<PeerId, { info: ConnectedPeer; session: Session }>();
  private readonly lagListeners: ((lag: Lag) => void)[] = [];
  private chain: NearChain | undefined;
  private far: FarRaft | undefined;
  private listened: { resolve(): void; reject(error: Error): void } | undefined;
  private isEnding = false;
  private lag: LongestLag = { ms: 0, ownMs: 0 };
  private heardMs = performance.now();
  /** Resolved when the thread has ended, even unexpectedly. */
  private readonly hasEnded: Promise<void>;

  constructor(parts: AgreementThreadParts) {
    this.parts = parts;
    this.id = parts.id;
    this.outbox = new Outbox(parts.thread);
    this.inbox = new PeerInbox({
      sink: (event) => this.publish(event),
      taken: (peer, bytes, ms) =>
        this.ofSession(peer, (session) =>
          this.outbox.say({ kind: 'taken', peer, session, bytes, ms }),
        ),
      failed: (peer, error) => {
        parts.log('error', 'Handling a peer message failed', { id: peer, error });
        this.drop(peer, DISCONNECT.subprotocolError);
      },
      costClock: parts.costClock,
    });
    parts.thread.on('message', (messages) => {
      for (const message of messages) this.take(message);
    });
    parts.thread.on('error', (error) => this.fail(ended(whyOf(error))));
    this.hasEnded = new Promise((resolve) => {
      parts.thread.on('exit', (code) => {
        resolve();
        this.fail(ended(`exit code ${code}`));
      });
    });
  }

  // --- life ---------------------------------------------------------------------------------------------------------

  /** Resolves when the thread listens for peers. Rejects with P2P_LISTEN_FAILED. */
  start(): Promise<void> {
    this.outbox.say({ kind: 'listen' });
    return new Promise((resolve, reject) => {
      this.listened = { resolve, reject };
    });
  }

  /** Disconnects all peers and resolves when the thread has ended. */
  async stop(): Promise<void> {
    if (this.isEnding) return;
    this.isEnding = true;
    this.chain?.withdraw();
    this.outbox.say({ kind: 'end' });
    this.outbox.flush();
    this.outbox.close();
    const patience = setTimeout(() => void this.parts.end(), END_MS);
    await this.hasEnded;
    clearTimeout(patience);
  }

  /** The longest delay of the thread in the last ten seconds. */
  get longest(): LongestLag {
    const { lag } = this;
    const silentMs = performance.now() - this.heardMs;
    return silentMs > SILENCE_MS ? { ...lag, ms: Math.max(lag.ms, silentMs) } : lag;
  }

  /** Calls the listener every second with the longest delay. */
  onLag(listener: (lag: Lag) => void): void {
    this.lagListeners.push(listener);
  }

  // --- agreement ----------------------------------------------------------------------------------------------------

  /** Starts agreement over this chain, which answers the thread's requests. */
  over(chain: ChainSide): AgreementPort {
    const say = (message: ToAgreement, ...bytes: readonly Uint8Array<ArrayBuffer>[]) =>
      this.outbox.say(message, ...bytes);
    this.chain = new NearChain(chain, say);
    return {
      begin: (position) => say({ kind: 'begin', position }),
      committed: (position) => say({ kind: 'committed', position }),
      transactionsPending: () => say({ kind: 'transactionsPending' }),
      stop: () => {
        this.chain?.withdraw();
        say({ kind: 'stop' });
      },
      joined: (peer) =>
        this.ofSession(peer.id, (session) => say({ kind: 'joined', args: [peer], session })),
      left: (...args) => say({ kind: 'left', args }),
      told: (...args) => say({ kind: 'told', args }),
      receive: (from, code, bytes) => {
        say({ kind: 'receive', args: [from, code, alone(bytes)] });
        return undefined;
      },
    };
  }

  /** Handle of the Raft protocol in the thread. */
  raft(): RaftProtocol {
    this.far = new FarRaft((told, ...bytes) => this.outbox.say({ kind: 'raft', told }, ...bytes));
    return this.far;
  }

  /** Sets the validators, which keep their places among the peers. */
  knowValidators(validators: readonly Address[]): void {
    this.outbox.say({ kind: 'validators', validators });
  }

  /** Sets the contracts' rules for nodes; undefined: the operator's lists apply. */
  permit(permits: NodePermits | undefined): void {
    this.outbox.say({ kind: 'permits', permits });
  }

  // --- peers --------------------------------------------------------------------------------------------------------

  events(sink: LinkSink): void {
    this.sinks.push(sink);
  }

  send(peer: PeerId, message: PeerMessage): void {
    const own = { ...message, bytes: alone(message.bytes) };
    this.ofSession(peer, (session) =>
      this.outbox.say({ kind: 'send', peer, session, message: own }),
    );
  }

  drop(peer: PeerId, reason: number): void {
    this.ofSession(peer, (session) => this.outbox.say({ kind: 'drop', peer, session, reason }));
  }

  peers(): ConnectedPeer[] {
    return [...this.sessions.values()].map(({ info }) => info);
  }

  addPeer(node: Enode): void {
    this.outbox.say({ kind: 'addPeer', node });
  }

  removePeer(peer: PeerId): void {
    this.outbox.say({ kind: 'removePeer', peer });
  }

  addTrustedPeer(node: Enode): void {
    this.outbox.say({ kind: 'addTrustedPeer', node });
  }

  removeTrustedPeer(peer: PeerId): void {
    this.outbox.say({ kind: 'removeTrustedPeer', peer });
  }

  // --- from the thread ----------------------------------------------------------------------------------------------

  private take(message: FromAgreement): void {
    switch (message.kind) {
      case 'link':
        this.hear(message);
        break;
      case 'ask':
        void this.chain?.answer(message.id, message.question);
        break;
      case 'raft':
        this.far?.hear(message.told);
        break;
      case 'abstains':
        this.chain?.abstains(message.reason);
        break;
      case 'view':
        this.chain?.entered(message.view);
        break;
      case 'unwanted':
        this.chain?.unwanted(message.id);
        break;
      case 'log':
        this.parts.log(message.level, message.message, message.fields);
        break;
      case 'lag':
        this.heardMs = performance.now();
        this.lag = message.longest;
        for (const listener of this.lagListeners) listener(message.lag);
        break;
      case 'listening':
        this.listening = message.at;
        this.listened?.resolve();
        break;
      case 'refused':
        this.listened?.reject(errorOf(message.error));
        break;
      case 'fatal':
        this.fail(errorOf(message.error));
        break;
    }
  }

  private hear({ event, session }: FromAgreement & { kind: 'link' }): void {
    if (event.kind === 'joined')
      this.sessions.set(event.peer.id, { info: event.peer as ConnectedPeer, session });
    if (event.kind === 'left') this.sessions.delete(event.peer);
    this.inbox.push(event);
  }

  /** Calls `say` with the current session of the peer, if there is one. */
  private ofSession(peer: PeerId, say: (session: Session) => void): void {
    const found = this.sessions.get(peer);
    if (found) say(found.session);
  }

  private publish(event: LinkEvent) {
    for (const sink of this.sinks) {
      const work = sink(event);
      if (work) return work;
    }
    return undefined;
  }

  private fail(error: Error): void {
    if (this.isEnding) return;
    this.outbox.close();
    this.listened?.reject(error);
    this.far?.fail(error);
    this.parts.fatal(error);
  }
}

/** An error posted between threads keeps only its own properties. */
function whyOf(error: Error & { readonly path?: string }): string {
  if (!(error instanceof Error)) return String((error as Error).message ?? JSON.stringify(error));
  return error.path === undefined ? reasonOf(error) : `${error.path}: ${reasonOf(error)}`;
}

function ended(how: string): Error {
  return fail('AGREEMENT_THREAD_ENDED', `the thread of agreement ended: ${how}`);
}
