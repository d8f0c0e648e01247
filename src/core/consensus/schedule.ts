/** Which settings apply at a height (GoQuorum consensus/istanbul/config.go). */
import { Lru } from '../base/lru.ts';
import type { ChainConfig } from '../chain/chain-config.ts';
import {
  type ConsensusDefaults,
  type ConsensusRules,
  consensusAt,
} from '../chain/consensus-rules.ts';

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
}
