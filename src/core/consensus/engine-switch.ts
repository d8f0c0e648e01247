/**
 * The engine of the next height, IBFT or QBFT: a transition changes it between two blocks (GoQuorum
 * consensus/istanbul/backend/engine.go).
 */
import type { Address } from '../base/bytes.ts';
import type { Engine } from '../chain/rules.ts';
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  ConsensusSigner,
  EngineOptions,
  View,
} from './bft/interface.ts';
import { IbftEngine } from './ibft/engine.ts';
import { IBFT_MESSAGE } from './ibft/messages.ts';
import { QbftEngine } from './qbft/engine.ts';

/**
 * QBFT messages kept until this node also has the last IBFT block: GoQuorum never repeats
 * messages.
 */
const EARLY_MESSAGES_MAX = 256;

interface Early {
  readonly kind: 'message';
  readonly from: Address;
  readonly code: number;
  readonly bytes: Uint8Array;
}

export class EngineSwitch implements BftEngineMachine {
  private readonly signer: ConsensusSigner;
  private readonly options: EngineOptions;
  private engine: IbftEngine | QbftEngine | undefined;
  private kind: Engine | undefined;
  private early: Early[] = [];

  constructor(signer: ConsensusSigner, options: EngineOptions = {}) {
    this.signer = signer;
    this.options = options;
  }

  /** The current view; undefined before the start. */
  get view(): View | undefined {
    return this.engine?.view;
  }

  step(input: BftInput, nowMs: number): readonly BftEffect[] {
    if (input.kind === 'start' || input.kind === 'committed') return this.enter(input, nowMs);
    if (input.kind === 'message' && !this.isOfEngine(input)) return [];
    return this.engine?.step(input, nowMs) ?? [];
  }

  private enter(
    input: Extract<BftInput, { kind: 'start' | 'committed' }>,
    nowMs: number,
  ): readonly BftEffect[] {
    const { engine } = input.rules;
    if (engine === this.kind && this.engine) return this.engine.step(input, nowMs);
    const first =
      input.kind === 'start'
        ? input
        : {
            ...input,
            kind: 'start' as const,
            isMemoryLost: this.engine?.abstainsAfter(input) ?? false,
          };
    this.kind = engine;
    this.engine =
      engine === 'ibft'
        ? new IbftEngine(this.signer, this.options)
        : new QbftEngine(this.signer, this.options);
    // Timers of the other engine name a past height, so this one ignores them.
    const effects = [...this.engine.step(first, nowMs)];
    for (const message of this.early.splice(0)) effects.push(...this.engine.step(message, nowMs));
    return effects;
  }

  private isOfEngine(message: Early): boolean {
    const isIbft = message.code === IBFT_MESSAGE;
    if (isIbft === (this.kind === 'ibft')) return true;
    if (!isIbft && this.early.length < EARLY_MESSAGES_MAX) this.early.push(message);
    return false;
  }
}
