/** Which engine and which settings hold at a height (consensus dossier §1.3, §1.5, §6.1). */
import { Lru } from '../base/lru.ts';
import type { ChainConfig } from '../chain/chain-config.ts';
import {
  type ConsensusDefaults,
  type ConsensusRules,
  consensusAt,
} from '../chain/consensus-rules.ts';
import type { BftEngineMachine, ConsensusSigner } from './bft/interface.ts';
import { QbftEngine, type QbftOptions } from './qbft/engine.ts';

const RULES_KEPT_MAX = 64;

export class Schedule {
  private readonly config: ChainConfig;
  private readonly defaults: ConsensusDefaults;
  private readonly kept = new Lru<number, ConsensusRules>(RULES_KEPT_MAX);

  constructor(config: ChainConfig, defaults: ConsensusDefaults = {}) {
    this.config = config;
    this.defaults = defaults;
  }

  /** Settings of the block at `height`. */
  rulesAt(height: number): ConsensusRules {
    const kept = this.kept.get(height);
    if (kept) return kept;
    const rules = consensusAt(this.config, height, this.defaults);
    this.kept.set(height, rules);
    return rules;
  }

  /** Whether the block at `height` is made by another engine than its parent: then the driver takes a new machine. */
  changesEngineAt(height: number): boolean {
    return height > 0 && this.rulesAt(height).engine !== this.rulesAt(height - 1).engine;
  }

  /** The machine that makes the block at `height`, or undefined where no BFT engine of ours does. */
  machineAt(
    height: number,
    signer: ConsensusSigner,
    options: QbftOptions = {},
  ): BftEngineMachine | undefined {
    return this.rulesAt(height).engine === 'qbft' ? new QbftEngine(signer, options) : undefined;
  }
}
