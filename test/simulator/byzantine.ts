/** Byzantine members. They sign only with their own key, but see everything and may cooperate. */

import type { Prng } from '../../src/core/base/prng.ts';
import type { Block } from '../../src/core/chain/block.ts';
import { qbftCommitPreimage, readBftExtra } from '../../src/core/chain/extra-data.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';
import {
  decodeMessage,
  encodeMessage,
  type Prepare,
  type QbftMessage,
  type RoundChange,
  signCommit,
  signPrepare,
  signPreprepare,
  signRoundChange,
} from '../../src/core/consensus/qbft/messages.ts';

export const BEHAVIOURS = [
  'silent',
  'equivocate',
  'supportAll',
  'staleRoundChange',
  'lyingJustification',
  'garbage',
  'badBlocks',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number] | 'oversized' | 'slowBlocks';

/** `bad`: execution finds it invalid. `slow`: valid, but takes minutes to execute. */
export type BlockKind = 'sound' | 'bad' | 'slow';

const HEARD_MAX = 64;
/** More items than a list may have that holds at most one per validator. */
const TOO_MANY = 300;
const OVERSIZED_BYTES = 20_000;

export interface TraitorHost {
  /** Sends to those of the others for whose index `isMeant` is true. */
  say(code: number, bytes: Uint8Array, isMeant: (node: number) => boolean): void;
  raw(code: number, bytes: Uint8Array): void;
  build(kind: BlockKind): Block;
}

/**
 * Stands between a member's engine and the network, and changes the engine's messages `M` as the
 * behaviour says.
 */
export abstract class Liar<M> {
  protected readonly behaviour: Behaviour;
  protected readonly signer: ConsensusSigner;
  protected readonly chance: Prng;
  protected readonly host: TraitorHost;

  constructor(behaviour: Behaviour, signer: ConsensusSigner, chance: Prng, host: TraitorHost) {
    this.behaviour = behaviour;
    this.signer = signer;
    this.chance = chance;
    this.host = host;
  }

  protected act(message: M): void {
    switch (this.behaviour) {
      case 'silent':
        break;
      case 'equivocate':
      case 'supportAll':
        this.twist(message);
        break;
      case 'staleRoundChange':
        this.rush(message);
        break;
      case 'lyingJustification':
        this.lie(message);
        break;
      case 'garbage':
        this.spoil(message);
        break;
      case 'badBlocks':
        this.poison(message, 'bad');
        break;
      case 'slowBlocks':
        this.poison(message, 'slow');
        break;
      case 'oversized':
        this.swell(message);
        break;
    }
  }

  protected abstract twist(message: M): void;
  protected abstract rush(message: M): void;
  protected abstract lie(message: M): void;
  protected abstract spoil(message: M): void;
  protected abstract poison(message: M, kind: BlockKind): void;
  protected abstract swell(message: M): void;

  protected sayNothingAtLength(code: number): void {
    this.host.raw(code, new Uint8Array(OVERSIZED_BYTES).fill(0xc0));
  }
}

export class Traitor extends Liar<QbftMessage> {
  private readonly heard: RoundChange[] = [];
  private readonly prepares: Prepare[] = [];

  /** Handles a message that this member's engine is about to send. */
  onSend(code: number, bytes: Uint8Array): void {
    this.act(decodeMessage(code, bytes));
  }

  /** Handles a message received from another member. */
  onHear(code: number, bytes: Uint8Array): void {
    let message: QbftMessage;
    try {
      message = decodeMessage(code, bytes);
    } catch {
      return;
    }
    if (message.kind === 'roundChange') keep(this.heard, message, this.chance);
    if (message.kind === 'prepare') keep(this.prepares, message, this.chance);
    if (message.kind === 'preprepare' && this.behaviour === 'supportAll')
      this.support(message.view, message.block);
  }

  private say(message: QbftMessage, isMeant: (node: number) => boolean): void {
    this.host.say(message.code, encodeMessage(message), isMeant);
  }

  private support(view: { height: number; round: number }, block: Block): void {
    const { signer } = this;
    // Another liar's garbage may not be a QBFT block.
    if (readBftExtra(block.header.extraData)?.kind !== 'qbft') return;
    this.say(signPrepare(signer, view, block.hash), everybody);
    const seal = signer.sign(qbftCommitPreimage(block.header, view.round));
    this.say(signCommit(signer, view, block.hash, seal), everybody);
  }

  /** Sends two proposals, each to a part of the others, and votes for both. */
  protected twist(message: QbftMessage): void {
    if (message.kind !== 'preprepare') {
      this.say(message, everybody);
      return;
    }
    const { view, roundChanges, prepares } = message;
    const other = this.host.build('sound');
    const part = this.chance.below(127) + 1;
    const isMeant = (node: number) => ((part >> node) & 1) === 1;
    this.say(message, isMeant);
    const second = signPreprepare(this.signer, view, other, roundChanges, prepares);
    this.say(second, (node) => !isMeant(node));
    for (const block of [message.block, other]) this.support(view, block);
  }

  /**
   * Claims that it never prepared anything, asks for rounds far ahead, and repeats old messages.
   */
  protected rush(message: QbftMessage): void {
    if (message.kind !== 'roundChange') {
      this.say(message, everybody);
      return;
    }
    const { height, round } = message.view;
    const ahead = this.chance.chance(0.3) ? this.chance.below(5) : 0;
    this.say(signRoundChange(this.signer, { height, round: round + ahead }, undefined), everybody);
    const old = this.heard[this.chance.below(this.heard.length + 1)];
    if (old) this.say(old, everybody);
  }

  /** Claims prepared blocks without proof, and proposes new blocks with invalid proofs. */
  protected lie(message: QbftMessage): void {
    const { signer } = this;
    if (message.kind === 'preprepare' && message.view.round > 0) {
      const { view } = message;
      const block = this.host.build('sound');
      const own = signRoundChange(signer, view, undefined);
      const others = this.heard.filter(({ view: seen }) => seen.height === view.height);
      const claims = [own, own, own, ...others, ...message.roundChanges].slice(0, 7);
      const unprepared = [...message.roundChanges.filter(({ prepared }) => !prepared), own, own];
      const mine = signPrepare(signer, { height: view.height, round: view.round - 1 }, block.hash);
      const variants = [
        signPreprepare(signer, view, block, claims, []),
        signPreprepare(signer, view, block, unprepared, []),
        signPreprepare(signer, view, block, message.roundChanges, [mine, mine, mine]),
        signPreprepare(signer, view, block, message.roundChanges, []),
        signPreprepare(signer, view, block, message.roundChanges, message.prepares),
        signPreprepare(signer, view, block, message.roundChanges, this.prepares.slice(0, 5)),
        message,
      ];
      this.say(variants[this.chance.below(variants.length)]!, everybody);
      this.support(view, block);
      return;
    }
    if (message.kind === 'roundChange') {
      const { height, round } = message.view;
      const block = this.host.build('sound');
      const mine = signPrepare(signer, { height, round: round - 1 }, block.hash);
      const lock = { round: round - 1, block, prepares: [mine, ...this.prepares.slice(0, 4)] };
      this.say(signRoundChange(signer, message.view, lock), everybody);
      return;
    }
    // Only one member may see the commit seal that completes a quorum.
    const chosen = this.chance.below(4);
    this.say(message, message.kind === 'commit' ? (node) => node === chosen : everybody);
  }

  /** Sends corrupt bytes, wrong seals and wrong codes. */
  protected spoil(message: QbftMessage): void {
    const bytes = encodeMessage(message);
    if (message.kind === 'commit') {
      const seal = this.signer.sign(message.digest);
      this.say(signCommit(this.signer, message.view, message.digest, seal), everybody);
    }
    const broken = bytes.slice();
    broken[this.chance.below(broken.length)]! ^= 1 << this.chance.below(8);
    this.host.raw(message.code, broken);
    this.host.raw(this.chance.below(32), bytes);
    this.host.raw(message.code, bytes.subarray(0, this.chance.below(bytes.length)));
  }

  /** Proposes invalid blocks, or blocks that take minutes to execute. */
  protected poison(message: QbftMessage, kind: BlockKind): void {
    if (message.kind !== 'preprepare') {
      this.say(message, everybody);
      return;
    }
    const { view, roundChanges, prepares } = message;
    const block = this.host.build(kind);
    this.say(signPreprepare(this.signer, view, block, roundChanges, prepares), everybody);
    this.support(view, block);
  }

  /** Sends proofs with hundreds of items, and very long messages. */
  protected swell(message: QbftMessage): void {
    const { signer } = this;
    if (message.kind === 'preprepare') {
      const { view, block } = message;
      const own = signRoundChange(signer, view, undefined);
      this.say(signPreprepare(signer, view, block, many(own), []), everybody);
    } else if (message.kind === 'roundChange') {
      const { height, round } = message.view;
      const block = this.host.build('sound');
      const mine = signPrepare(signer, { height, round: round - 1 }, block.hash);
      const lock = { round: round - 1, block, prepares: many(mine) };
      this.say(signRoundChange(signer, message.view, lock), everybody);
    } else {
      this.say(message, everybody);
      this.sayNothingAtLength(message.code);
    }
  }
}

function many<T>(item: T): T[] {
  return new Array<T>(TOO_MANY).fill(item);
}

export function everybody(): boolean {
  return true;
}

export function keep<T>(list: T[], item: T, chance: Prng): void {
  if (list.length < HEARD_MAX) list.push(item);
  else list[chance.below(HEARD_MAX)] = item;
}
