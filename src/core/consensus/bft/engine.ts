/**
 * QBFT and IBFT as machines: routes inputs to the algorithm and holds the state that outlives a
 * height. Both vote as GoQuorum 24.4.1 does, so that they can share a network with it, and check
 * what GoQuorum takes on trust (GoQuorum consensus/istanbul).
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../../base/bytes.ts';
import { keccak256 } from '../../base/keccak.ts';
import { Lru } from '../../base/lru.ts';
import type { Block } from '../../chain/block.ts';
import { Backlog, isRelevant } from './backlog.ts';
import type { HeightStart } from './height.ts';
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  ConsensusSigner,
  EngineOptions,
  View,
  VoteMemory,
} from './interface.ts';
import { onEmptyDue, onTransactionsPending } from './own-block.ts';
import { quorumOf } from './quorum.ts';
import { messageOrFault } from './read-message.ts';
import { type HeightBase, type MessageKind, retrySigning, type StepOf, viewOf } from './step.ts';
import { dueTimer, leaveView, setRepeatTimer, setRoundTimer } from './timers.ts';
import { isValidator } from './validators.ts';

/** Messages remembered as seen, so that a relayed copy costs only one hash. */
const SEEN_MESSAGES_MAX = 1024;

type Start = Extract<BftInput, { kind: 'start' | 'committed' }>;
type Incoming = Extract<BftInput, { kind: 'message' }>;

interface BftMessage {
  readonly kind: MessageKind;
  readonly view: View;
}

/** QBFT or IBFT. `S`: its state at one height; `M`: its messages. */
export interface Algorithm<S extends HeightBase, M extends BftMessage> {
  newHeight(start: HeightStart, signer: ConsensusSigner, quorumRule: typeof quorumOf): S;
  /** Restores the state that this validator had when it wrote the memory. */
  recall(state: S, memory: VoteMemory): void;
  /** Enters a new height; `isResumed`: after a restart, in the remembered round. */
  begin(step: StepOf<S>, isResumed: boolean): void;
  /** Whether a message code belongs to this engine; others are ignored. */
  isOwnCode(code: number): boolean;
  /** Throws CONSENSUS_MESSAGE. */
  decode(code: number, bytes: Uint8Array): M;
  /** `signedHash`: hash of the signed bytes, if it is already known. */
  signerOf(
    signer: ConsensusSigner,
    message: M,
    signedHash: Hash32 | undefined,
  ): Address | undefined;
  readonly unsignedFault: string;
  /** Whether a message is for the current view. */
  isDue(state: S, message: M): boolean;
  deliver(step: StepOf<S>, signer: Address, message: M): void;
  onAssembled(step: StepOf<S>, block: Block): void;
  /** A long block is ready to be proposed. */
  onEncoded?(step: StepOf<S>): void;
  /** The check of the current proposal has finished. */
  conclude(step: StepOf<S>, fault: string | undefined): void;
  /** The round timed out. */
  leaveRound(step: StepOf<S>): void;
  /** The timestamp of the held proposal has been reached. */
  onFutureDue(step: StepOf<S>): void;
  /** Runs after each input, and after each delivery of waiting messages. */
  settle?(step: StepOf<S>): void;
}

export class BftEngine<S extends HeightBase, M extends BftMessage> implements BftEngineMachine {
  private readonly algorithm: Algorithm<S, M>;
  private readonly signer: ConsensusSigner;
  private readonly options: EngineOptions;
  private readonly backlog = new Backlog<M>();
  /** When each message was last accepted. */
  private readonly seen = new Lru<string, number>(SEEN_MESSAGES_MAX);
  private state: S | undefined;
  /**
   * Memory from before the restart: this node votes neither below its height nor differently at it.
   */
  private memory: VoteMemory | undefined;
  private isAbstaining = false;

  constructor(algorithm: Algorithm<S, M>, signer: ConsensusSigner, options: EngineOptions) {
    this.algorithm = algorithm;
    this.signer = signer;
    this.options = options;
  }

  step(input: BftInput, nowMs: number): readonly BftEffect[] {
    const effects: BftEffect[] = [];
    if (input.kind === 'start') {
      this.memory = input.memory;
      this.isAbstaining = input.isMemoryLost === true;
      this.enter(input, nowMs, effects);
    } else if (input.kind === 'committed') {
      if (!this.state || input.head.number >= this.state.height) this.enter(input, nowMs, effects);
    } else if (this.state) {
      const { state } = this;
      // After the clock was set back, the period must not last until the old time is reached again.
      state.headAtMs = Math.min(state.headAtMs, nowMs);
      this.route(input, { signer: this.signer, state, nowMs, effects });
    }
    return effects;
  }

  /**
   * Whether this node stays silent at the new height: its past votes are unknown and it has not yet
   * seen a decision.
   */
  abstainsAfter({ head, isMemoryLost }: Start): boolean {
    const { state } = this;
    if (state?.isDecided === true && state.height === head.number) return false;
    return this.isAbstaining || isMemoryLost === true;
  }

  /** The current view. */
  get view(): View | undefined {
    return this.state && viewOf({ state: this.state });
  }

  private route(input: Exclude<BftInput, Start>, step: StepOf<S>): void {
    switch (input.kind) {
      case 'message':
        this.receive(input, step);
        break;
      case 'timer':
        this.onTimer(input.id, step);
        break;
      case 'assembled':
        if (step.state.isDecided) break;
        this.algorithm.onAssembled(step, input.block);
        break;
      case 'encoded':
        if (step.state.isDecided) break;
        step.state.long = input.proposal;
        this.algorithm.onEncoded?.(step);
        break;
      case 'verified':
        this.onVerified(step, input.hash, input.fault);
        break;
      case 'transactionsPending':
        onTransactionsPending(step);
        break;
      case 'signed':
        retrySigning(step);
        break;
    }
    this.drain(step);
  }

  private onVerified(step: StepOf<S>, hash: Uint8Array, fault: string | undefined): void {
    const { checked, current } = step.state;
    checked.set(keyOf(hash), { fault });
    const { proposal } = current;
    if (proposal?.status === 'checking' && equalBytes(proposal.block.hash, hash)) {
      this.algorithm.conclude(step, fault);
    }
  }

  private onTimer(id: string, step: StepOf<S>): void {
    const { state } = step;
    if (state.isDecided || !state.isVoting) return;
    switch (dueTimer(step, id)) {
      case 'round':
        this.algorithm.leaveRound(step);
        break;
      case 'future':
        this.algorithm.onFutureDue(step);
        break;
      case 'empty':
        onEmptyDue(step);
        break;
      case 'repeat':
        repeat(step);
        break;
    }
  }

  private enter(input: Start, nowMs: number, effects: BftEffect[]): void {
    const { signer, memory, algorithm } = this;
    if (this.state) leaveView({ signer, state: this.state, nowMs, effects });
    if (input.kind === 'committed') this.isAbstaining = this.abstainsAfter(input);
    const { isAbstaining } = this;
    const headAtMs = this.headAtMs(input) ?? nowMs;
    const start = { ...input, headAtMs, votesFrom: memory?.height ?? 0, isAbstaining };
    const state = algorithm.newHeight(start, signer, this.options.quorumOf ?? quorumOf);
    this.state = state;
    const step = { signer, state, nowMs, effects };
    const isResumed = memory !== undefined && memory.height === state.height;
    if (isResumed) algorithm.recall(state, memory);
    if (state.isVoting) {
      setRoundTimer(step);
      setRepeatTimer(step);
      algorithm.begin(step, isResumed);
    }
    this.drain(step);
  }

  /** When the new head was proposed to this node; undefined: it was not. */
  private headAtMs({ headHash }: Start): number | undefined {
    const { state } = this;
    if (!state) return undefined;
    if (equalBytes(state.headHash, headHash)) return state.headAtMs;
    const { proposal } = state.current;
    return proposal && equalBytes(proposal.block.hash, headHash) ? proposal.atMs : undefined;
  }

  private receive({ code, bytes, from, hashes }: Incoming, step: StepOf<S>): void {
    const { algorithm } = this;
    if (!algorithm.isOwnCode(code)) return;
    const key = `${code}${keyOf(hashes?.message ?? keccak256(bytes))}`;
    const passedMs = this.seen.get(key);
    if (passedMs !== undefined && !this.isRepeated(step, passedMs)) return;
    const message = messageOrFault(() => algorithm.decode(code, bytes));
    if (typeof message === 'string') {
      step.effects.push({ kind: 'misbehaved', peer: from, fault: message });
      return;
    }
    if (!isRelevant(viewOf(step), message.view)) return;
    const signer = algorithm.signerOf(this.signer, message, hashes?.signed);
    if (!signer) {
      step.effects.push({ kind: 'misbehaved', peer: from, fault: algorithm.unsignedFault });
      return;
    }
    // The validator set may be about to change: a message from a non-member is not the fault of the
    // peer that delivered it.
    if (!isValidator(step.state.validators, signer)) return;
    this.seen.set(key, step.nowMs);
    if (equalBytes(signer, this.signer.address)) return;
    if (this.options.isRelaying) step.effects.push({ kind: 'relay', from, signer, code, bytes });
    if (passedMs === undefined) this.deliverOrKeep(step, signer, message);
  }

  /**
   * Whether the signer may have sent the message again because some validators missed it. Those
   * that get it only through this node may have missed it too.
   */
  private isRepeated({ state, nowMs }: StepOf<S>, passedMs: number): boolean {
    return this.options.isRelaying === true && nowMs - passedMs >= state.rules.requestTimeoutMs / 2;
  }

  private deliverOrKeep(step: StepOf<S>, signer: Address, message: M): void {
    if (this.algorithm.isDue(step.state, message)) this.algorithm.deliver(step, signer, message);
    else this.backlog.put(signer, message.view, message);
  }

  /** Delivers messages that waited for the current view; this may change the view. */
  private drain(step: StepOf<S>): void {
    const { state } = step;
    for (;;) {
      this.algorithm.settle?.(step);
      const due = this.backlog.take(state.height, (_view, message) =>
        this.algorithm.isDue(state, message),
      );
      if (due.length === 0) return;
      for (const { signer, message } of due) {
        const isWelcome = isValidator(state.validators, signer);
        if (isWelcome && isRelevant(viewOf(step), message.view)) {
          this.deliverOrKeep(step, signer, message);
        }
      }
    }
  }
}

/** Repeats our own messages of this round: some may have been sent into a closed connection. */
function repeat<S extends HeightBase>(step: StepOf<S>): void {
  setRepeatTimer(step);
  for (const { code, bytes } of step.state.current.sent) {
    step.effects.push({ kind: 'broadcast', code, bytes });
  }
}
