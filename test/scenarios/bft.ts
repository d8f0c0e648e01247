/** The commands of BFT scenarios; docs/internals/bft.md lists them. */
import { commitPreimage } from '../../src/core/chain/extra-data.ts';
import type { View } from '../../src/core/consensus/bft/interface.ts';
import * as ibft from '../../src/core/consensus/ibft/messages.ts';
import * as qbft from '../../src/core/consensus/qbft/messages.ts';
import { type Command, listOption, type Player } from '../support/scenario.ts';
import { KIND_NAMES, type Message, messageOf, textOf, viewText } from './bft-text.ts';
import { ScenarioValidator } from './bft-validator.ts';
import { BftWorld, type Envelope } from './bft-world.ts';

/** More deliveries than any scenario needs. */
const DELIVERIES_MAX = 10_000;

export function bftPlayer(engine: 'qbft' | 'ibft'): Player {
  const network = new BftNetwork();
  return (command) => network.play(engine, command);
}

class BftNetwork {
  private world!: BftWorld;
  private validators = new Map<string, ScenarioValidator>();

  play(engine: 'qbft' | 'ibft', command: Command): readonly string[] {
    const { name, words } = command;
    switch (name) {
      case 'validators':
        return this.begin(
          new BftWorld(engine, Number(words[0]), command.options.get('timers') === 'shown'),
        );
      case 'block':
        this.makeBlock(command);
        return [];
      case 'propose':
        return this.propose(command);
      case 'say':
        return this.say(command);
      case 'deliver':
        return this.take(command).flatMap((envelope) => this.deliver(envelope));
      case 'settle':
        return this.settle();
      case 'lose':
        return this.take(command).map((envelope) => `lost: ${this.envelopeText(envelope)}`);
      case 'fire':
        return words.slice(1).flatMap((each) => this.validator(each).fire(words[0]!));
      case 'stop':
        for (const each of words) this.validator(each).stop();
        return [];
      case 'start':
        return words.flatMap((each) => this.validator(each).start());
      case 'slow':
        for (const each of words) this.validator(each).checkSlowly();
        return [];
      case 'checked':
        return this.validator(words[0]!).checked(this.world.block(words[1]!));
      case 'sync':
        return this.sync(words[0]!, words[1]!);
      default:
        throw new Error('no such command');
    }
  }

  private begin(world: BftWorld): string[] {
    this.world = world;
    this.validators = new Map(
      world.names.map((name) => [name, new ScenarioValidator(world, name)]),
    );
    return [...this.validators.values()].flatMap((each) => each.start());
  }

  private validator(name: string): ScenarioValidator {
    const validator = this.validators.get(name);
    if (!validator) throw new Error(`no validator ${name}`);
    return validator;
  }

  private makeBlock({ words: [name], options }: Command) {
    const author = options.get('by') ?? '';
    return this.world.makeBlock(name!, {
      author,
      head: this.validator(author).head,
      afterSeconds: Number(options.get('after') ?? 1),
      fault: options.get('fault'),
    });
  }

  /** `propose v1 A`: an existing block, or a new one by this validator. */
  private propose(command: Command): readonly string[] {
    const [author, name] = command.words as [string, string];
    if (!this.world.hasBlock(name)) {
      const options = new Map(command.options).set('by', author);
      this.makeBlock({ ...command, words: [name], options });
    }
    return this.validator(author).propose(this.world.block(name));
  }

  private sync(name: string, from: string): string[] {
    const { head } = this.validator(from);
    return [`${name} takes block ${head.header.number}`, ...this.validator(name).take(head)];
  }

  // --- messages in transit
  // -----------------------------------------------------------------------------------------------

  /** Removes the messages that the options select from those in transit. */
  private take(command: Command): Envelope[] {
    const from = listOption(command, 'from');
    const to = listOption(command, 'to');
    const kinds = listOption(command, 'kind');
    const isMeant = (envelope: Envelope) =>
      (from?.includes(envelope.from) ?? true) &&
      (to?.includes(envelope.to) ?? true) &&
      (kinds?.includes(KIND_NAMES[this.messageIn(envelope).kind]) ?? true);
    const taken = this.world.wire.filter(isMeant);
    this.world.wire = this.world.wire.filter((envelope) => !taken.includes(envelope));
    return taken;
  }

  private deliver(envelope: Envelope): string[] {
    const receiver = this.validator(envelope.to);
    return receiver.isRunning ? receiver.hear(envelope) : [];
  }

  private settle(): string[] {
    const lines: string[] = [];
    for (let count = 0; count < DELIVERIES_MAX; count++) {
      const envelope = this.world.wire.shift();
      if (!envelope) return lines;
      lines.push(...this.deliver(envelope));
    }
    throw new Error('messages are still being sent after too many deliveries');
  }

  private messageIn({ code, bytes }: Pick<Envelope, 'code' | 'bytes'>): Message {
    return messageOf(this.world.engine, code, bytes);
  }

  private envelopeText(envelope: Envelope): string {
    return `${envelope.from} to ${envelope.to}: ${textOf(this.messageIn(envelope), this.world.text)}`;
  }

  // --- messages that break the rules
  // ---------------------------------------------------------------

  /** `say v1 PREPARE 1/0 B to=v3`: signed with its key, without asking its engine. */
  private say(command: Command): string[] {
    const [from, kind, view, block] = command.words as [string, string, string, string];
    const [height, round] = view.split('/').map(Number) as [number, number];
    const said = { from, kind, view: { height, round }, block, command };
    const envelope =
      this.world.engine === 'qbft'
        ? this.qbftEnvelope(said)
        : { code: ibft.IBFT_MESSAGE, bytes: ibft.encodeMessage(this.ibftMessage(said)) };
    const to = listOption(command, 'to') ?? this.world.names.filter((name) => name !== from);
    for (const each of to) this.world.send({ from, to: each, ...envelope });
    const text = textOf(this.messageIn(envelope), this.world.text);
    return [`${from} to ${to.join(' ')}: ${text}`];
  }

  private qbftEnvelope(said: Said): Pick<Envelope, 'code' | 'bytes'> {
    const message = this.qbftMessage(said);
    return { code: message.code, bytes: qbft.encodeMessage(message) };
  }

  private qbftMessage({ from, kind, view, block, command }: Said): qbft.QbftMessage {
    const signer = this.world.signer(from);
    const claims = (listOption(command, 'claims') ?? []).map((each) =>
      this.heardFrom(each, 'roundChange', view),
    );
    const prepares = this.preparesOf(command);
    switch (kind) {
      case KIND_NAMES.preprepare:
        return qbft.signPreprepare(signer, view, this.world.block(block), claims, prepares);
      case KIND_NAMES.prepare:
        return qbft.signPrepare(signer, view, this.world.block(block).hash);
      case KIND_NAMES.commit: {
        const { header, hash } = this.world.block(block);
        const seal = signer.sign(commitPreimage('qbft', header, view.round));
        return qbft.signCommit(signer, view, hash, seal);
      }
      case KIND_NAMES.roundChange: {
        const round = Number(command.options.get('in') ?? 0);
        const lock = block ? { round, block: this.world.block(block), prepares } : undefined;
        return qbft.signRoundChange(signer, view, lock);
      }
      default:
        throw new Error(`no message ${kind}`);
    }
  }

  private ibftMessage({ from, kind, view, block }: Said): ibft.IbftMessage {
    const signer = this.world.signer(from);
    switch (kind) {
      case KIND_NAMES.preprepare:
        return ibft.signPreprepare(signer, view, this.world.block(block));
      case KIND_NAMES.prepare:
        return ibft.signPrepare(signer, view, this.world.block(block).hash);
      case KIND_NAMES.commit: {
        const proposal = this.world.block(block);
        return ibft.signCommit(signer, view, proposal.hash, ibft.commitSeal(signer, proposal));
      }
      case KIND_NAMES.roundChange:
        return ibft.signRoundChange(signer, view);
      default:
        throw new Error(`no message ${kind}`);
    }
  }

  /** `prepares=v1,v2 in=0`: the PREPAREs that these validators sent in this round. */
  private preparesOf(command: Command): qbft.Prepare[] {
    const view = { height: 1, round: Number(command.options.get('in') ?? 0) };
    const signers = listOption(command, 'prepares') ?? [];
    return signers.map((each) => this.heardFrom(each, 'prepare', view));
  }

  private heardFrom<K extends qbft.QbftMessage['kind']>(
    from: string,
    kind: K,
    view: View,
  ): Extract<qbft.QbftMessage, { kind: K }> {
    const isIt = (message: Message): message is Extract<qbft.QbftMessage, { kind: K }> =>
      message.kind === kind && viewText(message.view) === viewText(view);
    const envelopes = this.world.sent.filter((envelope) => envelope.from === from);
    const found = envelopes.map((envelope) => this.messageIn(envelope)).find(isIt);
    if (!found) throw new Error(`${from} has not sent ${KIND_NAMES[kind]} ${viewText(view)}`);
    return found;
  }
}

interface Said {
  readonly from: string;
  readonly kind: string;
  readonly view: View;
  readonly block: string;
  readonly command: Command;
}
