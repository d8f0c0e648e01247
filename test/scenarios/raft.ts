/** The commands of Raft scenarios; docs/internals/raft.md lists them. */
import { EMPTY_BYTES } from '../../src/core/base/bytes.ts';
import {
  CONF_CHANGE,
  ENTRY_TYPE,
  encodeConfChange,
  MESSAGE_TYPE,
  type RaftMessage,
} from '../../src/core/consensus/raft/messages.ts';
import { bootstrapEntries } from '../../src/core/consensus/raft/raft.ts';
import { type Command, listOption, type Player } from '../support/scenario.ts';
import { ScenarioMember } from './raft-member.ts';
import { changeNamed, textOf, typeName } from './raft-text.ts';

/** More deliveries than any scenario needs. */
const DELIVERIES_MAX = 10_000;
const NOTHING_YET = { hardState: { term: 0, vote: 0, commit: 0 }, entries: [] };

export function raftPlayer(): Player {
  const cluster = new RaftCluster();
  return (command) => cluster.play(command);
}

class RaftCluster {
  private readonly members = new Map<number, ScenarioMember>();
  private wire: RaftMessage[] = [];
  private readonly cut = new Set<number>();

  play(command: Command): readonly string[] {
    const { name, words } = command;
    const ids = words.map(Number);
    switch (name) {
      case 'cluster':
        return this.begin(ids[0]!);
      case 'join':
        return this.member(ids[0]!, NOTHING_YET).start();
      case 'campaign':
        return this.running(ids[0]!).campaign();
      case 'tick':
        return this.tick(ids[0]!, ids[1] ?? 1);
      case 'propose':
        return this.propose(ids[0]!, words[1]!, Number(command.options.get('times') ?? 1));
      case 'change':
        return this.change(ids[0]!, words[1]!, ids[2]!);
      case 'deliver':
        return this.take(command).flatMap((message) => this.deliver(message));
      case 'settle':
        return this.settle();
      case 'lose':
        return this.take(command).map((message) => `lost: ${textOf(message)}`);
      case 'cut':
        for (const id of ids) this.cut.add(id);
        return [];
      case 'heal':
        this.cut.clear();
        return [];
      case 'stop':
        for (const id of ids) this.running(id).stop();
        return [];
      case 'start':
        return ids.flatMap((id) => this.running(id).start());
      case 'compact':
        return this.running(ids[0]!).compact();
      case 'state':
        return [...this.members.values()].map((member) => member.stateText());
      case 'log':
        return ids.flatMap((id) => this.running(id).logText());
      default:
        throw new Error('no such command');
    }
  }

  /** Lets all members apply the changes that form the cluster. */
  private begin(size: number): string[] {
    const ids = Array.from({ length: size }, (_, index) => index + 1);
    const changes = ids.map((id) => changeData(CONF_CHANGE.addNode, id));
    return ids.flatMap((id) => this.member(id, bootstrapEntries(changes)).start());
  }

  private member(id: number, first: ConstructorParameters<typeof ScenarioMember>[1]) {
    const member = new ScenarioMember(id, first, (message) => this.wire.push(message));
    this.members.set(id, member);
    return member;
  }

  private running(id: number): ScenarioMember {
    const member = this.members.get(id);
    if (!member) throw new Error(`no member ${id}`);
    return member;
  }

  private tick(id: number, count: number): string[] {
    return Array.from({ length: count }, () => this.running(id).step({ kind: 'tick' })).flat();
  }

  private propose(id: number, text: string, times: number): string[] {
    const entry = { type: ENTRY_TYPE.normal, data: new TextEncoder().encode(text) };
    const entries = Array.from({ length: times }, () => entry);
    return this.running(id).step({ kind: 'propose', entries });
  }

  private change(id: number, name: string, nodeId: number): string[] {
    const data = changeData(changeNamed(name), nodeId);
    const entries = [{ type: ENTRY_TYPE.confChange, data }];
    return this.running(id).step({ kind: 'propose', entries });
  }

  // --- messages in transit
  // -----------------------------------------------------------------------------------------------

  /** Removes the messages that the options select from those in transit. */
  private take(command: Command): RaftMessage[] {
    const from = listOption(command, 'from')?.map(Number);
    const to = listOption(command, 'to')?.map(Number);
    const kinds = listOption(command, 'kind');
    const isMeant = (message: RaftMessage) =>
      (from?.includes(message.from) ?? true) &&
      (to?.includes(message.to) ?? true) &&
      (kinds?.includes(typeName(message)) ?? true);
    const taken = this.wire.filter(isMeant);
    this.wire = this.wire.filter((message) => !taken.includes(message));
    return taken;
  }

  private settle(): string[] {
    const lines: string[] = [];
    for (let count = 0; count < DELIVERIES_MAX; count++) {
      const message = this.wire.shift();
      if (!message) return lines;
      lines.push(...this.deliver(message));
    }
    throw new Error('messages are still being sent after too many deliveries');
  }

  /** Reports the outcome to the sender, as the transport does. */
  private deliver(message: RaftMessage): string[] {
    const { from, to, type } = message;
    const receiver = this.members.get(to);
    const isDelivered = receiver?.isRunning === true && !this.cut.has(from) && !this.cut.has(to);
    const lines = isDelivered ? receiver.step({ kind: 'message', message }) : [];
    const sender = this.running(from);
    if (type === MESSAGE_TYPE.snapshot) {
      lines.push(...sender.step({ kind: 'snapshotSent', id: to, isDelivered }));
    }
    if (!isDelivered) lines.push(...sender.step({ kind: 'unreachable', id: to }));
    return lines;
  }
}

function changeData(type: number, nodeId: number): Uint8Array {
  return encodeConfChange({ id: nodeId, type, nodeId, context: EMPTY_BYTES });
}
