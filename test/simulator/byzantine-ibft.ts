/** Members that lie on an IBFT chain: like byzantine.ts, with IBFT's messages. */
import type { Block } from '../../src/core/chain/block.ts';
import { readBftExtra } from '../../src/core/chain/extra-data.ts';
import type { View } from '../../src/core/consensus/bft/interface.ts';
import {
  commitSeal,
  decodeMessage,
  encodeMessage,
  IBFT_MESSAGE,
  type IbftMessage,
  type RoundChange,
  signCommit,
  signPrepare,
  signPreprepare,
  signRoundChange,
} from '../../src/core/consensus/ibft/messages.ts';
import { type BlockKind, everybody, keep, Liar } from './byzantine.ts';

const FAR_ROUND = 2 ** 45;

export class IbftTraitor extends Liar<IbftMessage> {
  private readonly heard: RoundChange[] = [];

  /** Handles a message that this member's engine is about to send. */
  onSend(bytes: Uint8Array): void {
    this.act(decodeMessage(bytes));
  }

  /** Handles a message received from another member. */
  onHear(bytes: Uint8Array): void {
    let message: IbftMessage;
    try {
      message = decodeMessage(bytes);
    } catch {
      return;
    }
    if (message.kind === 'roundChange') keep(this.heard, message, this.chance);
    const isGreedy = this.behaviour === 'supportAll' || this.behaviour === 'lyingJustification';
    if (message.kind === 'preprepare' && isGreedy) this.support(message.view, message.block);
  }

  private support(view: View, block: Block): void {
    const { signer } = this;
    if (readBftExtra(block.header.extraData)?.kind !== 'ibft') return;
    const part = this.part();
    this.say(signPrepare(signer, view, block.hash), part);
    this.say(signCommit(signer, view, block.hash, commitSeal(signer, block)), part);
  }

  /** Sends two proposals, each to a part of the others, and votes for both. */
  protected twist(message: IbftMessage): void {
    if (message.kind !== 'preprepare') {
      this.say(message);
      return;
    }
    const other = this.host.build('sound');
    const isMeant = this.part();
    this.say(message, isMeant);
    this.say(signPreprepare(this.signer, message.view, other), (node) => !isMeant(node));
    for (const block of [message.block, other]) this.support(message.view, block);
  }

  /** Asks for rounds far ahead, and repeats old messages. */
  protected rush(message: IbftMessage): void {
    if (message.kind !== 'roundChange') {
      this.say(message);
      return;
    }
    const { height, round } = message.view;
    const ahead = this.chance.chance(0.3) ? this.chance.below(5) : 0;
    this.say(signRoundChange(this.signer, { height, round: round + ahead }));
    const old = this.heard[this.chance.below(this.heard.length + 1)];
    if (old) this.say(old);
  }

  /**
   * Ignores its lock: proposes new blocks in later rounds, and shows its votes to one member only.
   */
  protected lie(message: IbftMessage): void {
    if (message.kind === 'preprepare' && message.view.round > 0) {
      const block = this.host.build('sound');
      this.say(signPreprepare(this.signer, message.view, block));
      this.support(message.view, block);
      return;
    }
    const chosen = this.chance.below(4);
    this.say(message, message.kind === 'commit' ? (node) => node === chosen : everybody);
  }

  /** Sends corrupt bytes, wrong seals, wrong senders and wrong codes. */
  protected spoil(message: IbftMessage): void {
    const { signer, chance, host } = this;
    const bytes = encodeMessage(message);
    if (message.kind === 'commit') {
      this.say(signCommit(signer, message.view, message.digest, signer.sign(message.digest)));
    }
    this.say({ ...message, address: message.signature.slice(0, 20) });
    const broken = bytes.slice();
    broken[chance.below(broken.length)]! ^= 1 << chance.below(8);
    host.raw(IBFT_MESSAGE, broken);
    host.raw(chance.below(32), bytes);
    host.raw(IBFT_MESSAGE, bytes.subarray(0, chance.below(bytes.length)));
  }

  /** Proposes invalid blocks, or blocks that take minutes to execute. */
  protected poison(message: IbftMessage, kind: BlockKind): void {
    if (message.kind !== 'preprepare') {
      this.say(message);
      return;
    }
    const block = this.host.build(kind);
    this.say(signPreprepare(this.signer, message.view, block));
    this.support(message.view, block);
  }

  /** Sends rounds beyond all bounds, and very long messages. */
  protected swell(message: IbftMessage): void {
    const { height } = message.view;
    if (message.kind === 'roundChange') {
      this.say(signRoundChange(this.signer, { height, round: FAR_ROUND }));
    }
    this.say(message);
    this.sayNothingAtLength(IBFT_MESSAGE);
  }

  private part(): (node: number) => boolean {
    const part = this.chance.below(127) + 1;
    return (node) => ((part >> node) & 1) === 1;
  }

  private say(message: IbftMessage, isMeant: (node: number) => boolean = everybody): void {
    this.host.say(IBFT_MESSAGE, encodeMessage(message), isMeant);
  }
}
