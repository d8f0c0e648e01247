/**
 * Runs consensus as in a thread of its own, with virtual links, disks and time; messages between
 * the two sides are cloned.
 */
import type { Clock, Links, Log, Timers } from '../../src/core/base/ports.ts';
import type { ConsensusSigner } from '../../src/core/consensus/bft/interface.ts';
import {
  AgreementThread,
  type ThreadEnd,
} from '../../src/services/ledger/agreement/agreement-thread.ts';
import type { FromAgreement, ToAgreement } from '../../src/services/ledger/agreement/messages.ts';
import { NearRaft } from '../../src/services/ledger/agreement/near-raft.ts';
import { Outbox, type Outlet } from '../../src/services/ledger/agreement/outbox.ts';
import { Seat } from '../../src/services/ledger/agreement/seat.ts';
import type { VoteStore } from '../../src/services/ledger/node/consensus/memory-watch.ts';
import type { RaftMember } from '../../src/services/ledger/node/consensus/raft-member.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface MemoryAgreementParts {
  readonly time: VirtualTime;
  readonly timers: Timers;
  readonly links: Links;
  readonly votes: VoteStore;
  readonly signer: ConsensusSigner;
  readonly calendar: Clock;
  readonly log: Log;
  /** For a member of a Raft cluster. */
  readonly member?: RaftMember | undefined;
  fatal(error: unknown): void;
}

/** The main thread's side; messages arrive at either side in a later turn of the event loop. */
export function memoryAgreement(parts: MemoryAgreementParts): AgreementThread {
  const { time, links } = parts;
  let hear: (messages: readonly FromAgreement[]) => void = () => {};
  const pipe = <T>(deliver: (messages: readonly T[]) => void): Outlet => ({
    postMessage(messages, transfer = []) {
      const copy = structuredClone(messages, { transfer: [...transfer] }) as readonly T[];
      time.soon(() => deliver(copy));
    },
  });
  const outbox = new Outbox<FromAgreement>(pipe<FromAgreement>((messages) => hear(messages)));
  const { member } = parts;
  const seat = new Seat({
    ...parts,
    raft:
      member &&
      new NearRaft(member, (told, ...bytes) => outbox.say({ kind: 'raft', told }, ...bytes)),
    server: IDLE_SERVER,
    clock: time,
    calendar: parts.calendar,
    outbox,
    links,
    permit: () => {},
    end: () => {},
  });
  const toSeat = pipe<ToAgreement>((messages) => {
    for (const message of messages) seat.take(message);
  });
  const thread: ThreadEnd = {
    ...toSeat,
    on(event: string, listener: unknown) {
      if (event === 'message') hear = listener as typeof hear;
    },
  };
  const { log, fatal } = parts;
  return new AgreementThread({
    thread,
    end: async () => {},
    id: '',
    log,
    fatal,
    costClock: () => 0,
  });
}

const IDLE_SERVER = {
  start: async () => {},
  listening: undefined,
  charge: () => {},
  addPeer: () => true,
  addTrustedPeer: () => {},
  removePeer: () => true,
  removeTrustedPeer: () => {},
};
