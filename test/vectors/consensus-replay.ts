/**
 * Feeds recorded consensus messages to the production engine, as a node of that network would have
 * received them.
 */

import { ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { ConsensusRules } from '../../src/core/chain/consensus-rules.ts';
import type {
  BftEffect,
  BftInput,
  ConsensusSigner,
  ValidatorSet,
} from '../../src/core/consensus/bft/interface.ts';
import { EngineSwitch } from '../../src/core/consensus/engine-switch.ts';

export interface RecordedMessage {
  readonly code: number;
  readonly bytes: Uint8Array;
}

export interface ReplayHost {
  readonly signer: ConsensusSigner;
  /** The validators after a block. */
  validatorsAfter(head: Block): ValidatorSet;
  rulesAt(height: number): ConsensusRules;
}

type Decision = Extract<BftEffect, { kind: 'decide' }>;

export interface Replayed {
  readonly decisions: readonly Decision[];
  readonly faults: readonly string[];
  /** The messages of the engine itself. */
  readonly said: readonly RecordedMessage[];
}

/** Later than all recorded times, so that no proposal lies in the future. */
const LATER_MS = 4_000_000_000_000;

/**
 * Every proposal is found valid immediately; a decided block becomes the head. Timers never fire.
 */
export function replay(
  head: Block,
  messages: readonly RecordedMessage[],
  host: ReplayHost,
): Replayed {
  const engine = new EngineSwitch(host.signer);
  const decisions: Decision[] = [];
  const faults: string[] = [];
  const said: RecordedMessage[] = [];
  const inputs: BftInput[] = [headInput('start', head, host)];
  const follow = (effect: BftEffect): void => {
    if (effect.kind === 'verify') inputs.push({ kind: 'verified', hash: effect.block.hash });
    if (effect.kind === 'broadcast') said.push({ code: effect.code, bytes: effect.bytes });
    if (effect.kind === 'misbehaved') faults.push(effect.fault);
    if (effect.kind === 'decide') {
      decisions.push(effect);
      inputs.push(headInput('committed', effect.block, host));
    }
  };
  const run = (): void => {
    for (let input = inputs.shift(); input; input = inputs.shift()) {
      engine.step(input, LATER_MS).forEach(follow);
    }
  };
  run();
  for (const { code, bytes } of messages) {
    inputs.push({ kind: 'message', from: ZERO_ADDRESS, code, bytes });
    run();
  }
  return { decisions, faults, said };
}

function headInput(kind: 'start' | 'committed', head: Block, host: ReplayHost): BftInput {
  return {
    kind,
    head: head.header,
    headHash: head.hash,
    validators: host.validatorsAfter(head),
    rules: host.rulesAt(head.header.number + 1),
  };
}
