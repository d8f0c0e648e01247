/**
 * Carries out a BFT engine's effects and returns the results to it. All inputs go through one
 * queue, so that nothing re-enters the engine; after `remember` every effect waits until the memory
 * is on disk. Contains no protocol rules.
 */
import { type Address, keyOf } from '../../../../core/base/bytes.ts';
import { unreachable } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, Timer, Timers } from '../../../../core/base/ports.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  LongProposal,
  Seal,
  View,
  VoteMemory,
} from '../../../../core/consensus/bft/interface.ts';

export type AssembleRequest = Extract<BftEffect, { kind: 'assemble' }>;

export interface DriverParts {
  readonly engine: BftEngineMachine;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  remember(memory: VoteMemory): Promise<void>;
  send(to: Address, code: number, bytes: Uint8Array): void;
  broadcast(code: number, bytes: Uint8Array): void;
  /** Relays a valid message to validators that may lack it. */
  relay(from: Address, signer: Address, code: number, bytes: Uint8Array): void;
  /**
   * Builds a block on `request.parent`; undefined when it is no longer needed (`isWanted()` turned
   * false).
   */
  assemble(request: AssembleRequest, isWanted: () => boolean): Promise<Block | undefined>;
  /** Encodes a block asynchronously, because it may be long. */
  encode(view: View, block: Block): Promise<LongProposal>;
  /**
   * undefined: the block is valid, and its execution is kept by hash. Otherwise its fault. The
   * check may pause once `isWanted()` is false.
   */
  verify(block: Block, isWanted: () => boolean): Promise<string | undefined>;
  /** Makes the block the head. The `committed` input follows through `post`. */
  decide(block: Block, round: number, seals: readonly Seal[]): Promise<void>;
  misbehaved(peer: Address, fault: string): void;
  /** Called after the engine has processed an input. */
  stepped?(): void;
  /** The disk failed, or an internal invariant is broken: this node must stop. */
  fatal(error: unknown): void;
}

/**
 * Maximum number of messages waiting for the engine; further ones are dropped, and the protocol's
 * retries recover.
 */
const MAILBOX_INPUTS_MAX = 10_000;

export class BftDriver {
  private readonly parts: DriverParts;
  private readonly mailbox: BftInput[] = [];
  private readonly timers = new Map<string, Timer>();
  private isPumping = false;
  private isStopped = false;
  /** Proposals being checked, by hash. */
  private readonly checking = new Map<string, object>();
  /** Only the newest assemble request is answered. */
  private assembling = 0;

  constructor(parts: DriverParts) {
    this.parts = parts;
  }

  post(input: BftInput): void {
    if (this.isStopped) return;
    if (input.kind === 'message' && this.mailbox.length >= MAILBOX_INPUTS_MAX) return;
    this.mailbox.push(input);
    void this.pump();
  }

  stop(): void {
    this.isStopped = true;
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
    this.mailbox.length = 0;
  }

  private async pump(): Promise<void> {
    if (this.isPumping) return;
    this.isPumping = true;
    try {
      for (
        let input = this.mailbox.shift();
        input && !this.isStopped;
        input = this.mailbox.shift()
      ) {
        const effects = this.parts.engine.step(input, this.parts.clock.nowMs());
        this.parts.stepped?.();
        for (const effect of effects) {
          const fence = this.carry(effect);
          if (fence) await fence;
          if (this.isStopped) return;
        }
      }
    } catch (error) {
      this.stop();
      this.parts.fatal(error);
    } finally {
      this.isPumping = false;
    }
  }

  /** If this returns a promise, the effects after it wait for it. */
  private carry(effect: BftEffect): Promise<void> | undefined {
    const parts = this.parts;
    switch (effect.kind) {
      case 'remember':
        return parts.remember(effect.memory);
      case 'send':
        parts.send(effect.to, effect.code, effect.bytes);
        return undefined;
      case 'broadcast':
        parts.broadcast(effect.code, effect.bytes);
        return undefined;
      case 'relay':
        parts.relay(effect.from, effect.signer, effect.code, effect.bytes);
        return undefined;
      case 'setTimer':
        this.setTimer(effect.id, effect.delayMs);
        return undefined;
      case 'clearTimer':
        this.clearTimer(effect.id);
        return undefined;
      case 'assemble':
        this.assemble(effect);
        return undefined;
      case 'encode':
        parts.encode(effect.view, effect.block).then(
          (proposal) => this.post({ kind: 'encoded', proposal }),
          (error: unknown) => parts.fatal(error),
        );
        return undefined;
      case 'verify':
        this.verify(effect.block).catch((error: unknown) => parts.fatal(error));
        return undefined;
      case 'abandon':
        this.checking.delete(keyOf(effect.hash));
        return undefined;
      case 'decide':
        return parts.decide(effect.block, effect.round, effect.seals);
      case 'misbehaved':
        parts.misbehaved(effect.peer, effect.fault);
        return undefined;
      default:
        return unreachable(effect);
    }
  }

  private setTimer(id: string, delayMs: number): void {
    this.clearTimer(id);
    const fire = () => {
      this.timers.delete(id);
      this.post({ kind: 'timer', id });
    };
    this.timers.set(id, this.parts.timers.set(delayMs, fire));
  }

  private clearTimer(id: string): void {
    this.timers.get(id)?.cancel();
    this.timers.delete(id);
  }

  private assemble(request: AssembleRequest): void {
    const turn = ++this.assembling;
    const isWanted = () => turn === this.assembling && !this.isStopped;
    const build = async () => {
      if (!isWanted()) return;
      const block = await this.parts.assemble(request, isWanted);
      if (block && isWanted()) this.post({ kind: 'assembled', view: request.view, block });
    };
    // The node's clock may run slower than the timers.
    const attempt = (): void => {
      const delayMs = request.notBeforeMs - this.parts.clock.nowMs();
      if (delayMs > 0) this.parts.timers.set(delayMs, attempt);
      else void build().catch((error: unknown) => this.parts.fatal(error));
    };
    attempt();
  }

  private async verify(block: Block): Promise<void> {
    const key = keyOf(block.hash);
    const turn = {};
    this.checking.set(key, turn);
    const isWanted = () => this.checking.get(key) === turn && !this.isStopped;
    const fault = await this.parts.verify(block, isWanted);
    if (!isWanted()) return;
    this.checking.delete(key);
    if (fault !== undefined) {
      this.parts.log('warn', 'Proposal refused', {
        hash: bareHex(block.hash),
        number: block.header.number,
        fault,
      });
    }
    this.post({ kind: 'verified', hash: block.hash, ...(fault === undefined ? {} : { fault }) });
  }
}
