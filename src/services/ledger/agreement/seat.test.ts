import { expect, it } from 'vitest';
import { VirtualTime } from '../../../../test/support/virtual-time.ts';
import type { LinkEvent, LinkSink, PeerInfo, PeerMessage } from '../../../core/base/ports.ts';
import type { FromAgreement } from './messages.ts';
import { Outbox } from './outbox.ts';
import { Seat } from './seat.ts';

const ID = '11'.repeat(64);
const INFO = {
  id: ID,
  address: new Uint8Array(20),
  capabilities: new Map(),
} as unknown as PeerInfo;
const JOINED: LinkEvent = { kind: 'joined', peer: INFO };
const LEFT: LinkEvent = { kind: 'left', peer: ID, reason: 0 };

function message(protocol: string, code: number, length = 10): LinkEvent {
  return { kind: 'message', peer: ID, message: { protocol, code, bytes: new Uint8Array(length) } };
}

function seat() {
  const said: FromAgreement[] = [];
  const sent: PeerMessage[] = [];
  const dropped: number[] = [];
  const charged: number[] = [];
  let sink: LinkSink = () => undefined;
  const time = new VirtualTime(0);
  const made = new Seat({
    server: {
      start: async () => {
        throw new Error('taken');
      },
      listening: undefined,
      charge: (_, ms) => charged.push(ms),
      addPeer: () => true,
      addTrustedPeer: () => {},
      removePeer: () => true,
      removeTrustedPeer: () => {},
    },
    links: {
      send: (_, each) => sent.push(each),
      drop: (_, reason) => dropped.push(reason),
      events: (given) => {
        sink = given;
      },
    },
    outbox: new Outbox<FromAgreement>({
      postMessage: (messages) => said.push(...(messages as FromAgreement[])),
    }),
    votes: { read: () => ({ loss: undefined, memory: undefined }), write: async () => {} },
    signer: {
      address: new Uint8Array(20),
      sign: () => new Uint8Array(65),
      recover: () => undefined,
    },
    clock: time,
    calendar: time,
    timers: time,
    log: () => {},
    permit: () => {},
    end: () => {},
  });
  const sessions = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return said.flatMap((each) => (each.kind === 'link' ? [each.session] : []));
  };
  return { seat: made, said, sent, dropped, charged, sessions, hear: (e: LinkEvent) => sink(e) };
}

it('what was meant for a session that has ended does not reach the next one with the peer', async () => {
  const { seat: made, sent, dropped, sessions, hear } = seat();
  for (const event of [JOINED, LEFT, JOINED]) hear(event);
  const [first, , second] = await sessions();
  expect(second).not.toBe(first);
  const status = { protocol: 'eth', code: 0, bytes: new Uint8Array(1) };
  made.take({ kind: 'send', peer: ID, session: first!, message: status });
  made.take({ kind: 'drop', peer: ID, session: first!, reason: 3 });
  expect([sent, dropped]).toEqual([[], []]);
  made.take({ kind: 'send', peer: ID, session: second!, message: status });
  made.take({ kind: 'drop', peer: ID, session: second!, reason: 3 });
  expect([sent, dropped]).toEqual([[status], [3]]);
});

it('what is handed on counts against its peer until it is taken, and what it cost is charged', async () => {
  const { seat: made, charged, sessions, hear } = seat();
  for (const event of [JOINED, message('eth', 2, 1_000), message('eth', 2, 1_000)]) hear(event);
  const [session] = await sessions();
  const full = made.backlog(ID);
  expect(full).toBeGreaterThanOrEqual(2_000);
  made.take({ kind: 'taken', peer: ID, session: session!, bytes: 1_000, ms: 7 });
  expect(made.backlog(ID)).toBe(full / 2);
  expect(charged).toEqual([7]);
});

it('consensus is heard here once the peer has shown to be of this chain, and never handed on', async () => {
  const { seat: made, said, sessions, hear } = seat();
  hear(JOINED);
  const [session] = await sessions();
  made.take({ kind: 'joined', args: [INFO], session: session! });
  hear(message('istanbul', 0x12));
  hear(message('quorate', 1));
  await sessions();
  const handed = said.flatMap((each) =>
    each.kind === 'link' && each.event.kind === 'message' ? [each.event.message.protocol] : [],
  );
  expect(handed).toEqual(['quorate']);
});

it('a port that is taken is reported', async () => {
  const { seat: made, said, sessions } = seat();
  made.take({ kind: 'listen' });
  await sessions();
  expect(said).toMatchObject([{ kind: 'refused', error: { message: 'taken' } }]);
});
