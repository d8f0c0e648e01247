/** Planted bugs: each must be found by the checkers, or the simulator proves nothing. */
import type {
  BftEngineMachine,
  ConsensusSigner,
  EngineOptions,
} from '../../../src/core/consensus/bft/interface.ts';
import { EngineSwitch } from '../../../src/core/consensus/engine-switch.ts';
import type { ChainKind, Plan } from '../faults.ts';

export type NewEngine = (
  signer: ConsensusSigner,
  options: EngineOptions,
  /** The keys of all nodes, for bugs where a node seems to have signed. */
  signers: readonly ConsensusSigner[],
) => BftEngineMachine;

export interface Canary {
  readonly name: string;
  /** The kind of chain that has the bug; qbft by default. */
  readonly chain?: ChainKind;
  /** Replaces the engine of honest nodes. */
  readonly engine?: NewEngine;
  readonly forgetsVotes?: boolean;
  /** Changes the schedule so that the bug can show. */
  readonly plan?: (plan: Plan) => Plan;
}

export const honestEngine: NewEngine = (signer, options) => new EngineSwitch(signer, options);
