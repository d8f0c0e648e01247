/** Whether this validator knows its past votes; logs when it does not. */
import { type Address, equalBytes } from '../../../../core/base/bytes.ts';
import type { Log } from '../../../../core/base/ports.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { BftEngine } from '../../../../core/chain/rules.ts';
import type { ConsensusSigner, VoteMemory } from '../../../../core/consensus/bft/interface.ts';
import {
  type MemoryLoss,
  memoryLoss,
  type Remembering,
} from '../../../../core/consensus/bft/memory-loss.ts';

import type { VoteFile } from '../../../../core/store/vote-file.ts';

export interface VoteStore {
  read(): Remembering;
  /** Resolves when the memory is durable. */
  write(memory: VoteMemory): Promise<void>;
}

export function voteStore(file: VoteFile): VoteStore {
  return {
    read: () => ({ loss: file.loss, memory: file.memory() }),
    write: (memory) => file.remember(memory),
  };
}

const REASONS: Record<MemoryLoss, string> = {
  empty: 'the file "votes" is missing or empty',
  damaged: 'the file "votes" is damaged',
  old: 'the file "votes" is an older copy: the chain store recorded a vote that it lacks',
  behind: 'the file "votes" is older than the chain: this validator sealed a block that it lacks',
};

export class MemoryWatch {
  private readonly votes: VoteStore;
  private readonly signer: ConsensusSigner;
  private readonly log: Log;
  private readonly tell: (reason: string | undefined) => void;
  /** The loss that was logged last. */
  private told: MemoryLoss | undefined;

  /** `tell` is called with the reason for abstaining, and with undefined when it ends. */
  constructor(parts: {
    votes: VoteStore;
    signer: ConsensusSigner;
    log: Log;
    tell: (reason: string | undefined) => void;
  }) {
    this.tell = parts.tell;
    this.votes = parts.votes;
    this.signer = parts.signer;
    this.log = parts.log;
  }

  /**
   * Whether a vote on the head might be a double vote; call it only for a validator. `latest`: the
   * head, and some blocks before it.
   */
  isLost(
    latest: readonly { header: Header; engine: BftEngine }[],
    validators: readonly Address[],
  ): boolean {
    const { signer, votes, log } = this;
    if (!validators.some((each) => equalBytes(each, signer.address))) return false;
    const loss = memoryLoss(votes.read(), latest, signer);
    if (loss !== undefined && loss !== this.told) {
      const number = latest[0]!.header.number + 1;
      log('error', 'This validator abstains until it has seen a block decided', {
        number,
        reason: REASONS[loss],
        cure: `if the others wait for it: stop it, and run quorate db reset-votes --height ${number}`,
      });
      this.told = loss;
      this.tell(REASONS[loss]);
    }
    return loss !== undefined;
  }

  sawDecided(number: number): void {
    if (this.told === undefined) return;
    this.log('info', 'This validator votes again', { number: number + 1 });
    this.told = undefined;
    this.tell(undefined);
  }
}
