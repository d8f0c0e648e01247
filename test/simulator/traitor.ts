/** A validator that lies, with whichever engine the height has. */
import type { Prng } from '../../src/core/base/prng.ts';
import { IBFT_MESSAGE } from '../../src/core/consensus/ibft/messages.ts';
import { Traitor, type TraitorHost } from './byzantine.ts';
import { IbftTraitor } from './byzantine-ibft.ts';
import type { Plan } from './faults.ts';
import { BAD_STATE, type SimNode } from './node.ts';
import { gasIn } from './plan-rules.ts';

/** The execution time of a liar's slow block. */
const SLOW_BLOCK_MS = 600_000;

export interface TraitorWire {
  onSend(code: number, bytes: Uint8Array): void;
  onHear(code: number, bytes: Uint8Array): void;
}

interface TraitorParts {
  readonly index: number;
  readonly node: SimNode;
  readonly chance: Prng;
  readonly nowMs: () => number;
  readonly deliver: (to: number, code: number, bytes: Uint8Array) => void;
}

export function traitorOf(
  plan: Plan,
  { index, node, chance, nowMs, deliver }: TraitorParts,
): TraitorWire {
  const others = Array.from({ length: plan.nodes }, (_, to) => to).filter((to) => to !== index);
  const host: TraitorHost = {
    say: (code, bytes, isMeant) => {
      for (const to of others) if (isMeant(to)) deliver(to, code, bytes);
    },
    raw: (code, bytes) => {
      for (const to of others) deliver(to, code, bytes);
    },
    build: (kind) => {
      const gas = kind === 'slow' ? gasIn(SLOW_BLOCK_MS, plan.nanosecondsPerGas) : 0n;
      return node.build(nowMs(), kind === 'bad' ? BAD_STATE : 1, gas);
    },
  };
  const behaviour = plan.byzantine[index]!;
  const qbft = new Traitor(behaviour, node.signer, chance, host);
  const ibft = new IbftTraitor(behaviour, node.signer, chance, host);
  const isIbft = (code: number) => code === IBFT_MESSAGE;
  return {
    onSend: (code, bytes) => (isIbft(code) ? ibft.onSend(bytes) : qbft.onSend(code, bytes)),
    onHear: (code, bytes) => (isIbft(code) ? ibft.onHear(bytes) : qbft.onHear(code, bytes)),
  };
}
