/**
 * IBFT 1.0 as a machine: routes inputs to the files of this folder and holds what outlives a height (consensus dossier §5).
 * It votes as GoQuorum 24.4.1 does, so both may share a network; where GoQuorum trusts, it checks.
 */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import { keccak256 } from '../../base/keccak.ts';
import { Lru } from '../../base/lru.ts';
import { Backlog, isRelevant } from '../bft/backlog.ts';
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  ConsensusSigner,
  EngineOptions,
  VoteMemory,
} from '../bft/interface.ts';
import { keepOwnBlock, onEmptyDue, onTransactionsPending } from '../bft/own-block.ts';
import { quorumOf } from '../bft/quorum.ts';
import { messageOrFault } from '../bft/read-message.ts';
import { viewOf } from '../bft/step.ts';
import { clearTimers, dueTimer, setRepeatTimer, setRoundTimer } from '../bft/timers.ts';
import { isValidator } from '../bft/validators.ts';
import {
  decodeMessage,
  encodeMessage,
  IBFT_MESSAGE,
  type IbftMessage,
  signerOf,
} from './messages.ts';
import { onFutureDue, onPreprepare, onVerified, tryPropose } from './proposal.ts';
import { leaveRound, onRoundChange, sendRoundChange } from './round-change.ts';
import { type HeightState, newHeight, type Step } from './round-state.ts';
import { recall } from './vote-memory.ts';
import { onCommit, onPrepare } from './votes.ts';

/** Messages remembered as seen, so that relayed copies cost one hash. */
const SEEN_MESSAGES_MAX = 1024;

type Start = Extract<BftInput, { kind: 'start' | 'committed' }>;
type Incoming = Extract<BftInput, { kind: 'message' }>;

export class IbftEngine implements BftEngineMachine {
  private readonly signer: ConsensusSigner;
  private readonly options: EngineOptions;
  private readonly backlog = new Backlog<IbftMessage>();
  /** When each was passed on. */
  private readonly seen = new Lru<string, number>(SEEN_MESSAGES_MAX);
  private state: HeightState | undefined;
  /** Of an earlier life: no vote below its height, and in it none that differs. */
  private memory: VoteMemory | undefined;

  constructor(signer: ConsensusSigner, options: EngineOptions = {}) {
    this.signer = signer;
    this.options = options;
  }

  step(input: BftInput, nowMs: number): readonly BftEffect[] {
    const effects: BftEffect[] = [];
    if (input.kind === 'start') {
      this.memory = input.memory;
      this.enter(input, nowMs, effects);
    } else if (input.kind === 'committed') {
      if (!this.state || input.head.number >= this.state.height) this.enter(input, nowMs, effects);
    } else if (this.state) {
      this.route(input, { signer: this.signer, state: this.state, nowMs, effects });
    }
    return effects;
  }

  private route(input: Exclude<BftInput, Start>, step: Step): void {
    switch (input.kind) {
      case 'message':
        this.receive(input, step);
        break;
      case 'timer':
        onTimer(input.id, step);
        break;
      case 'assembled':
        if (!step.state.isDecided) keepOwnBlock(step, input.block);
        break;
      case 'verified':
        onVerified(step, input.hash, input.fault);
        break;
      case 'transactionsPending':
        onTransactionsPending(step);
        break;
    }
    this.settle(step);
  }

  private enter(input: Start, nowMs: number, effects: BftEffect[]): void {
    const { signer, memory } = this;
    if (this.state) clearTimers({ signer, state: this.state, nowMs, effects });
    const start = { ...input, votesFrom: memory?.height ?? 0 };
    const state = newHeight(start, signer, this.options.quorumOf ?? quorumOf);
    this.state = state;
    const step: Step = { signer, state, nowMs, effects };
    const isResumed = memory !== undefined && memory.height === state.height;
    if (isResumed) recall(state, memory);
    if (state.isVoting) {
      setRoundTimer(step);
      setRepeatTimer(step);
      if (state.current.isWaiting) sendRoundChange(step);
    }
    this.settle(step);
  }

  private receive({ code, bytes, from }: Incoming, step: Step): void {
    // QBFT messages of those that are at a later height already.
    if (code !== IBFT_MESSAGE) return;
    const key = keyOf(keccak256(bytes));
    const passedMs = this.seen.get(key);
    if (passedMs !== undefined && !this.isRepeated(step, passedMs)) return;
    const message = messageOrFault(() => decodeMessage(bytes));
    if (typeof message === 'string') {
      step.effects.push({ kind: 'misbehaved', peer: from, fault: message });
      return;
    }
    const { state } = step;
    if (!isRelevant(viewOf(step), message.view)) return;
    const signer = signerOf(this.signer, message);
    if (!signer) {
      const fault = 'message not signed by the sender';
      step.effects.push({ kind: 'misbehaved', peer: from, fault });
      return;
    }
    // The set may be about to change, so a stranger's message is no fault of its carrier.
    if (!isValidator(state.validators, signer)) return;
    this.seen.set(key, step.nowMs);
    if (equalBytes(signer, this.signer.address)) return;
    if (this.options.isRelaying) step.effects.push({ kind: 'relay', from, signer, code, bytes });
    if (passedMs !== undefined) return;
    if (isDue(state, message)) deliver(step, signer, message);
    else this.backlog.put(signer, message.view, message);
  }

  /** Its signer said it again, because it may not have reached all: those that it reaches through us may have been away. */
  private isRepeated({ state, nowMs }: Step, passedMs: number): boolean {
    return this.options.isRelaying === true && nowMs - passedMs >= state.rules.requestTimeoutMs / 2;
  }

  /** Proposes if it is this node's turn, and delivers what had to wait for the view that the state has now; both move it on. */
  private settle(step: Step): void {
    const { state } = step;
    for (;;) {
      tryPropose(step);
      const due = this.backlog.take(state.height, (_view, message) => isDue(state, message));
      if (due.length === 0) return;
      for (const { signer, message } of due) {
        if (!isValidator(state.validators, signer) || !isRelevant(viewOf(step), message.view))
          continue;
        if (isDue(state, message)) deliver(step, signer, message);
        else this.backlog.put(signer, message.view, message);
      }
    }
  }
}

/** A ROUND-CHANGE is due in its height, the others once their round has begun. */
function isDue({ height, current }: HeightState, { kind, view }: IbftMessage): boolean {
  if (view.height !== height) return false;
  return kind === 'roundChange' || (view.round === current.round && !current.isWaiting);
}

function deliver(step: Step, signer: Address, message: IbftMessage): void {
  switch (message.kind) {
    case 'preprepare':
      onPreprepare(step, signer, message);
      break;
    case 'prepare':
      onPrepare(step, signer, message);
      break;
    case 'commit':
      onCommit(step, signer, message);
      break;
    case 'roundChange':
      onRoundChange(step, signer, message);
      break;
  }
}

function onTimer(id: string, step: Step): void {
  const { state } = step;
  if (state.isDecided || !state.isVoting) return;
  switch (dueTimer(step, id)) {
    case 'round':
      leaveRound(step);
      break;
    case 'future':
      onFutureDue(step);
      break;
    case 'empty':
      onEmptyDue(step);
      break;
    case 'repeat':
      repeat(step);
      break;
  }
}

/** Says the own messages of this round again: some of them may have met a closed connection. */
function repeat(step: Step): void {
  setRepeatTimer(step);
  for (const message of step.state.current.sent) {
    step.effects.push({ kind: 'broadcast', code: IBFT_MESSAGE, bytes: encodeMessage(message) });
  }
}
