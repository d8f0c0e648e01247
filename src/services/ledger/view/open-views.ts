/** Creates views of a chain for its callers, from a node's own store or a reader's replica. */
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import { engineAt } from '../../../core/chain/consensus-rules.ts';
import { rulesAt } from '../../../core/chain/rules.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import { proveAccount } from '../../../core/state/proof.ts';
import type { ChainReader } from '../../../core/store/interface.ts';
import { PartyView, type Prover } from './party-view.ts';

/** Settings of the form of answers. */
export interface Looks {
  /** Whether timestamps of a Raft chain, which are in nanoseconds, are shown in seconds. */
  readonly hasRaftSeconds: boolean;
  /** Whether receipts contain the reason of a revert (`--revertreason`). */
  readonly hasRevertReasons: boolean;
}

export function openViews(parts: {
  readonly chain: ChainReader;
  readonly config: ChainConfig;
  readonly states: PrivateStates;
  readonly looks: Looks;
}): (psi: Psi) => PartyView {
  const { chain, config, states, looks } = parts;
  const prover: Prover = (space, number, address, slots, spend) => {
    const state = chain.stateAt(space, number);
    const proof = proveAccount(state, chain.trieAt(space, number), address, slots, spend);
    return { account: proof.proof, slots: proof.slots.map((slot) => slot.proof) };
  };
  return (psi) =>
    new PartyView({
      chain,
      psi,
      isDual: config.isQuorum,
      rulesAt: ({ number, timestamp }) => rulesAt(config, number, timestamp),
      engineAt: (number) => engineAt(config, number),
      ...looks,
      prover,
      ...(config.isQuorum ? { states } : {}),
    });
}
