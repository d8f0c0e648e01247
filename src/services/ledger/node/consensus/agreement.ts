/**
 * Agreement: the consensus engine behind its driver, the peers that carry its messages, and the
 * vote file. All that it knows about the chain is passed to it, and it requests that blocks be
 * built, checked and appended, so that it can run in a separate thread.
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { inTurns } from '../../../../core/base/in-turns.ts';
import { LONG_MESSAGE_BYTES, type Slices } from '../../../../core/base/pace.ts';
import type { Clock, Log, PeerInfo, Timers } from '../../../../core/base/ports.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { BftEngine, ConsensusRules, Engine } from '../../../../core/chain/rules.ts';
import type {
  ConsensusSigner,
  LongProposal,
  Seal,
  View,
} from '../../../../core/consensus/bft/interface.ts';
import { ChainTime } from '../../../../core/consensus/chain-time.ts';
import { EngineSwitch } from '../../../../core/consensus/engine-switch.ts';
import { longProposal, messageHashes } from '../../../../core/consensus/long-messages.ts';
import { type AssembleRequest, BftDriver } from './bft-driver.ts';
import type { ConsensusPeers } from './consensus-peers.ts';
import { MemoryWatch, type VoteStore } from './memory-watch.ts';

/** If the clock is this far behind the blocks, a wrong clock is logged. */
const LEAD_TOLD_MS = 10_000;

/** The chain's head, and the validators and rules of the next block. */
export interface Position {
  readonly head: Header;
  readonly headHash: Hash32;
  readonly validators: readonly Address[];
  /** Whether this node does not take part in the next block. */
  readonly isRefusing: boolean;
  /** The rules of the next block. */
  readonly rules: ConsensusRules;
  /** The head, and some blocks before it. */
  readonly latest: readonly { readonly header: Header; readonly engine: BftEngine }[];
}

/** Agreement's requests to the chain. */
export interface ChainSide {
  /** See `BftDriver` for these three. */
  assemble(request: AssembleRequest, isWanted: () => boolean): Promise<Block | undefined>;
  verify(block: Block, isWanted: () => boolean): Promise<string | undefined>;
  decide(block: Block, round: number, seals: readonly Seal[]): Promise<void>;
  /**
   * Reports why this validator, which may have cast votes that it does not remember, abstains;
   * undefined: it votes again.
   */
  abstains(reason: string | undefined): void;
  /** Agreement has reached a new height, or a new round of a height. */
  entered(view: View): void;
}

/** Inputs of agreement. */
export interface AgreementPort {
  /** Starts or restarts taking part in consensus. */
  begin(position: Position): void;
  /** The chain has a new head. */
  committed(position: Position): void;
  transactionsPending(): void;
  /** Stops taking part in consensus. */
  stop(): void;
  /** A peer was confirmed to be on this chain. */
  joined(peer: PeerInfo): void;
  left(peer: PeerInfo): void;
  /** `peer` has reported its connections. */
  told(peer: Address, connections: readonly Address[]): void;
  /**
   * A message from a peer; `code` is relative to the istanbul protocol. Handling a long one returns
   * work that is done in slices.
   */
  receive(from: Address, code: number, bytes: Uint8Array): Slices<void> | undefined;
}

export interface AgreementParts {
  readonly signer: ConsensusSigner;
  readonly votes: VoteStore;
  readonly peers: ConsensusPeers;
  readonly chain: ChainSide;
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The disk failed, or an internal invariant is broken: this node must stop. */
  fatal(error: unknown): void;
}

export class Agreement implements AgreementPort {
  private readonly parts: AgreementParts;
  private readonly memory: MemoryWatch;
  private readonly time: ChainTime;
  private hasTold = false;
  private view: View | undefined;
  private driver: BftDriver | undefined;
  /** Engine of the next block. */
  private engine: Engine = 'none';
  /** Validators of the next block, except this node. */
  private others: readonly Address[] = [];

  constructor(parts: AgreementParts) {
    this.parts = parts;
    this.time = new ChainTime(parts.calendar, parts.clock);
    this.memory = new MemoryWatch({
      ...parts,
      tell: (reason) => parts.chain.abstains(reason),
    });
  }

  begin(position: Position): void {
    this.driver ??= this.drive();
    const { memory } = this.parts.votes.read();
    const input = { kind: 'start', ...this.inputOf(position) } as const;
    this.driver.post({ ...input, ...(memory ? { memory } : {}) });
  }

  committed(position: Position): void {
    this.driver?.post({ kind: 'committed', ...this.inputOf(position) });
  }

  transactionsPending(): void {
    this.driver?.post({ kind: 'transactionsPending' });
  }

  stop(): void {
    this.driver?.stop();
    this.driver = undefined;
  }

  /** A signature that the engine awaits is there. */
  signed(): void {
    this.driver?.post({ kind: 'signed' });
  }

  joined(peer: PeerInfo): void {
    this.parts.peers.joined(peer);
  }

  left(peer: PeerInfo): void {
    this.parts.peers.left(peer);
  }

  told(peer: Address, connections: readonly Address[]): void {
    this.parts.peers.told(peer, connections);
  }

  receive(from: Address, code: number, bytes: Uint8Array): Slices<void> | undefined {
    if (bytes.length >= LONG_MESSAGE_BYTES) return this.receiveLong(from, code, bytes);
    this.driver?.post({ kind: 'message', from, code, bytes });
    return undefined;
  }

  private *receiveLong(from: Address, code: number, bytes: Uint8Array): Slices<void> {
    const hashes = yield* messageHashes(code, bytes);
    this.driver?.post({ kind: 'message', from, code, bytes, ...(hashes && { hashes }) });
  }

  private drive(): BftDriver {
    const { signer, votes, peers, chain, ...rest } = this.parts;
    const engine = new EngineSwitch(signer, { isRelaying: true });
    return new BftDriver({
      ...rest,
      clock: this.time,
      engine,
      stepped: () => this.look(engine.view),
      remember: (memory) => votes.write(memory),
      send: (to, code, bytes) => peers.sendTo(to, code, bytes),
      broadcast: (code, bytes) => peers.sendAll(this.others, code, bytes),
      relay: (from, by, code, bytes) => this.relay(from, by, code, bytes),
      assemble: (request, isWanted) => chain.assemble(request, isWanted),
      encode: (view, block) => this.encode(view, block),
      verify: (block, isWanted) => chain.verify(block, isWanted),
      decide: (block, round, seals) => this.decide(block, round, seals),
      misbehaved: (peer, fault) => peers.misbehaved(peer, fault),
    });
  }

  private look(view: View | undefined): void {
    const { height, round } = this.view ?? {};
    if (!view || (view.height === height && view.round === round)) return;
    this.view = view;
    this.parts.chain.entered(view);
  }

  private encode(view: View, block: Block): Promise<LongProposal> {
    const { signer, timers } = this.parts;
    return inTurns(longProposal(this.engine, signer.address, view, block), timers);
  }

  /** Input of the engine for a position; without validators the engine is idle. */
  private inputOf({ head, headHash, validators, isRefusing, rules, latest }: Position) {
    const { signer } = this.parts;
    this.tell(head, rules);
    this.others = validators.filter((address) => !equalBytes(address, signer.address));
    this.engine = rules.engine;
    return {
      ...{ head, headHash, rules },
      validators: isRefusing ? [] : validators,
      isMemoryLost: this.memory.isLost(latest, validators),
    };
  }

  private tell({ number, timestamp }: Header, rules: ConsensusRules): void {
    this.time.decided(timestamp, rules);
    const leadMs = this.time.leadMs();
    if (leadMs > LEAD_TOLD_MS && !this.hasTold) {
      this.parts.log('warn', "This machine's clock is behind the chain's: set it right", {
        seconds: Math.round(leadMs / 1000),
        number,
      });
    }
    this.hasTold = leadMs > LEAD_TOLD_MS / 2;
  }

  /**
   * Forwards a message to validators that may lack it: not to those that are connected to its
   * signer.
   */
  private relay(from: Address, signer: Address, code: number, bytes: Uint8Array): void {
    const { peers } = this.parts;
    const knowing = [keyOf(from), keyOf(signer)];
    const targets = this.others.filter(
      (address) => !knowing.includes(keyOf(address)) && !peers.isConnected(address, signer),
    );
    peers.sendAll(targets, code, bytes);
  }

  private async decide(block: Block, round: number, seals: readonly Seal[]): Promise<void> {
    await this.parts.chain.decide(block, round, seals);
    this.memory.sawDecided(block.header.number);
  }
}
