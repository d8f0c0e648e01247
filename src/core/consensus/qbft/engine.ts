/**
 * QBFT as a machine: routes inputs to the files of this folder and holds what outlives a height (consensus dossier §4).
 * It votes as GoQuorum 24.4.1 does, so both may share a network; where GoQuorum trusts, it checks (dossier §4.5, §15).
 */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import { keccak256 } from '../../base/keccak.ts';
import { Lru } from '../../base/lru.ts';
import type { Block } from '../../chain/block.ts';
import { Backlog, isRelevant } from '../bft/backlog.ts';
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  ConsensusSigner,
  EngineOptions,
  VoteMemory,
} from '../bft/interface.ts';
import { keepOwnBlock, onEmptyDue, onTransactionsPending, requestBlock } from '../bft/own-block.ts';
import { quorumOf } from '../bft/quorum.ts';
import { messageOrFault } from '../bft/read-message.ts';
import { isProposer, viewOf } from '../bft/step.ts';
import { clearTimers, dueTimer, setRepeatTimer, setRoundTimer } from '../bft/timers.ts';
import { isValidator } from '../bft/validators.ts';
import { onCommit } from './commit.ts';
import { decodeMessage, encodeMessage, type QbftMessage, signerOf } from './messages.ts';
import { onPrepare, sendPrepare } from './prepare.ts';
import { onFutureDue, onPreprepare, onVerified, propose, verify } from './proposal.ts';
import { changeRound, onRoundChange, sendRoundChange, tryPropose } from './round-change.ts';
import { type HeightStart, type HeightState, newHeight, type Step } from './round-state.ts';
import { recall } from './vote-memory.ts';

/** Messages remembered as seen, so that relayed copies cost one hash. */
const SEEN_MESSAGES_MAX = 1024;

type Start = Extract<BftInput, { kind: 'start' | 'committed' }>;
type Incoming = Extract<BftInput, { kind: 'message' }>;

export class QbftEngine implements BftEngineMachine {
  private readonly signer: ConsensusSigner;
  private readonly options: EngineOptions;
  private readonly backlog = new Backlog<QbftMessage>();
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

  /** Height, round and whether this node proposes in it; for status and logs. */
  get view(): { readonly height: number; readonly round: number } | undefined {
    return this.state && { height: this.state.height, round: this.state.current.round };
  }

  private route(input: Exclude<BftInput, Start>, step: Step): void {
    switch (input.kind) {
      case 'message':
        this.receive(input, step);
        break;
      case 'timer':
        this.onTimer(input.id, step);
        break;
      case 'assembled':
        this.onAssembled(step, input.block);
        break;
      case 'verified':
        onVerified(step, input.hash, input.fault);
        break;
      case 'transactionsPending':
        onTransactionsPending(step);
        break;
    }
    this.drain(step);
  }

  private onAssembled(step: Step, block: Block): void {
    const isOurs = equalBytes(block.header.coinbase, this.signer.address);
    if (isOurs && !step.state.isDecided && keepOwnBlock(step, block)) this.proposeOwn(step);
  }

  private proposeOwn(step: Step): void {
    const { own, current } = step.state;
    if (current.round > 0) tryPropose(step);
    else if (own && isProposer(step) && !current.hasProposed) propose(step, own, [], []);
  }

  private onTimer(id: string, step: Step): void {
    const { state } = step;
    if (state.isDecided || !state.isVoting) return;
    switch (dueTimer(step, id)) {
      case 'round':
        changeRound(step, state.current.round + 1);
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

  // --- heights ----------------------------------------------------------------------------------------------------

  private enter(input: Start, nowMs: number, effects: BftEffect[]): void {
    const { signer, memory } = this;
    if (this.state) clearTimers({ signer, state: this.state, nowMs, effects });
    const start: HeightStart = { ...input, votesFrom: memory?.height ?? 0 };
    const state = newHeight(start, signer, this.options.quorumOf ?? quorumOf);
    this.state = state;
    const step: Step = { signer, state, nowMs, effects };
    const isResumed = memory !== undefined && memory.height === state.height;
    if (isResumed) recall(state, memory);
    if (state.isVoting) {
      setRoundTimer(step);
      setRepeatTimer(step);
      if (isResumed) resume(step);
      else if (isProposer(step)) requestBlock(step);
    }
    this.drain(step);
  }

  // --- messages ---------------------------------------------------------------------------------------------------

  private receive({ code, bytes, from }: Incoming, step: Step): void {
    const key = `${code}${keyOf(keccak256(bytes))}`;
    const passedMs = this.seen.get(key);
    if (passedMs !== undefined && !this.isRepeated(step, passedMs)) return;
    const message = messageOrFault(() => decodeMessage(code, bytes));
    if (typeof message === 'string') {
      step.effects.push({ kind: 'misbehaved', peer: from, fault: message });
      return;
    }
    const { state } = step;
    if (!isRelevant(viewOf(step), message.view)) return;
    const signer = signerOf(this.signer, message);
    if (!signer) {
      step.effects.push({ kind: 'misbehaved', peer: from, fault: 'invalid signature' });
      return;
    }
    // The set may be about to change, so a stranger's message is no fault of its carrier.
    if (!isValidator(state.electorate.validators, signer)) return;
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

  /** Delivers what had to wait for the view that the state has now; delivering may move it on. */
  private drain(step: Step): void {
    const { state } = step;
    for (;;) {
      const due = this.backlog.take(state.height, (_view, message) => isDue(state, message));
      if (due.length === 0) return;
      for (const { signer, message } of due) {
        if (
          isValidator(state.electorate.validators, signer) &&
          isRelevant(viewOf(step), message.view)
        ) {
          deliver(step, signer, message);
        }
      }
    }
  }
}

/** A ROUND-CHANGE is due in its height, the others in their round. */
function isDue({ height, current }: HeightState, { kind, view }: QbftMessage): boolean {
  if (view.height !== height) return false;
  return kind === 'roundChange' || view.round <= current.round;
}

function deliver(step: Step, signer: Address, message: QbftMessage): void {
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

/** Says the own messages of this round again: some of them may have met a closed connection. */
function repeat(step: Step): void {
  setRepeatTimer(step);
  for (const message of step.state.current.sent) {
    step.effects.push({ kind: 'broadcast', code: message.code, bytes: encodeMessage(message) });
  }
}

/** Goes on in the remembered round: says again what was said, never anything else. */
function resume(step: Step): void {
  const { state } = step;
  const { current, lock } = state;
  const { digest } = current;
  if (current.round > 0 && !current.hasPrepared) sendRoundChange(step);
  if (state.current !== current) return;
  if (digest) sendPrepare(step, digest);
  if (lock && current.hasPrepared) {
    current.proposal = { block: lock.block, status: 'checking' };
    verify(step, lock.block);
  } else if (current.round === 0 && isProposer(step) && !current.hasProposed) {
    requestBlock(step);
  }
}
