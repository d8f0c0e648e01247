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
  /** Everybody's, for bugs that pretend that something was signed. */
  signers: readonly ConsensusSigner[],
) => BftEngineMachine;

export interface Canary {
  readonly name: string;
  /** The chain that the bug is of; qbft unless said. */
  readonly chain?: ChainKind;
  /** Of honest nodes. */
  readonly engine?: NewEngine;
  readonly forgetsVotes?: boolean;
  /** Makes room for the bug to show. */
  readonly plan?: (plan: Plan) => Plan;
}

export const honestEngine: NewEngine = (signer, options) => new EngineSwitch(signer, options);
