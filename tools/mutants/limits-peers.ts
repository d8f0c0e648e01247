/** Limits of what peers may cost. */
import type { Limit } from './limit.ts';

const PEER = { file: 'src/io/p2p/peer.ts', test: 'src/io/p2p/hostile-peers.service.test.ts' };
const SERVE = { file: 'src/core/sync/serve.ts', test: 'src/core/sync/serve.test.ts' };
const INTAKE = {
  file: 'src/services/ledger/node/sending/transaction-intake.ts',
  test: 'src/services/ledger/node/sending/transaction-intake.test.ts',
};
const OFFERS = {
  file: 'src/services/ledger/node/sending/offers.ts',
  test: 'src/services/ledger/node/sending/offers.test.ts',
};

export const PEER_LIMITS: readonly Limit[] = [
  {
    ...PEER,
    name: 'peers: ms of a turn',
    on: 'if (!turns.mayGoOn) this.waitForTurn();',
    off: 'if (this.over) this.waitForTurn();',
    only: 'leave turns to others',
  },
  {
    ...PEER,
    name: 'peers: a reply is made in pieces',
    on: 'if (this.work.next().done) this.work = undefined;',
    off: 'while (!this.work.next().done);\n      this.work = undefined;',
    only: 'made in pieces',
  },
  {
    ...PEER,
    name: 'peers: ms of a second',
    on: ' || this.ms.empty) return true;',
    off: ') return true;',
    only: 'share of a second',
  },
  {
    ...PEER,
    name: 'peers: messages of a second (p2p pause)',
    on: 'if (this.messages.empty || ',
    off: 'if (',
    only: 'many messages in a second',
  },
  {
    ...PEER,
    name: 'peers: replies that are not read',
    on: 'return waiting > WRITE_BUFFER_PAUSE_BYTES;',
    off: 'return WRITE_BUFFER_PAUSE_BYTES < 0;',
    only: 'asked for nothing more',
  },
  {
    ...PEER,
    name: 'peers: unsent bytes of one',
    on: 'if (this.unreadBytes > WRITE_BUFFER_BYTES_MAX) {',
    off: 'if (this.unreadBytes < 0 * WRITE_BUFFER_BYTES_MAX) {',
    only: 'cut off by bytes',
  },
  {
    name: 'peers: bytes that all hold',
    file: 'src/io/p2p/server.ts',
    on: 'if (held <= heldBytesMax) return;',
    off: 'if (held <= heldBytesMax || held > 0) return;',
    test: PEER.test,
    only: 'hold so much together',
  },
  {
    name: 'peers: connections that say nothing',
    file: 'src/io/p2p/server.ts',
    on: 'this.countPendingInbound() >= PENDING_INBOUND_MAX ||',
    off: 'this.countPendingInbound() < 0 * PENDING_INBOUND_MAX ||',
    test: PEER.test,
    only: 'say nothing take so many places',
  },
  {
    ...PEER,
    name: 'peers: time to greet',
    on: 'if (nowMs - this.startedMs > timings.handshakeMs) {',
    off: 'if (nowMs - this.startedMs > 1e15 + timings.handshakeMs) {',
    only: 'silence at every step',
  },
  {
    name: 'peers: bytes of a message',
    file: 'src/io/p2p/rlpx-session.ts',
    on: 'decoder: new SnappyDecoder(body, bytesMax) };',
    off: 'decoder: new SnappyDecoder(body, 2 ** 30) };',
    test: PEER.test,
    only: 'oversize',
  },
  {
    name: 'peers: bytes of a message that is not compressed',
    file: 'src/io/p2p/rlpx-session.ts',
    on: "if (body.length > bytesMax) throw breach('message too long');",
    off: '',
    test: 'src/io/p2p/rlpx.property.test.ts',
    only: 'above the limit',
  },
  {
    ...SERVE,
    name: 'replies: headers',
    on: 'if (headers.length >= Math.min(query.amount, HEADERS_MAX)) break;',
    off: 'if (headers.length >= query.amount) break;',
  },
  {
    ...SERVE,
    name: 'replies: bodies, receipts, transactions',
    on: 'if (size >= REPLY_BYTES_SOFT_MAX || found.length >= countMax) break;',
    off: 'if (size >= REPLY_BYTES_SOFT_MAX) break;',
  },
  {
    ...SERVE,
    name: 'replies: bytes',
    on: 'if (size >= REPLY_BYTES_SOFT_MAX || found.length >= countMax) break;',
    off: 'if (found.length >= countMax) break;',
  },
  {
    name: 'announced transactions that are wanted of a peer',
    file: 'src/core/sync/gossip.ts',
    on: 'peer.wanted.size >= WANTED_PER_PEER_MAX ||',
    off: '',
    test: 'src/core/sync/gossip.test.ts',
  },
  {
    ...INTAKE,
    name: "peers' transactions that wait",
    on: '!holding.take(bytesOf(transaction))',
    off: 'holding.force(bytesOf(transaction)) as undefined',
  },
  {
    ...INTAKE,
    name: "peers' transactions of one turn",
    on: 'this.waiting.splice(0, SLICE_TRANSACTIONS)',
    off: 'this.waiting.splice(0, this.waiting.length + SLICE_TRANSACTIONS)',
  },
  {
    ...OFFERS,
    name: 'own transactions that are offered again: with a block',
    on: 'waiting.slice(0, OFFERED_AT_ONCE), waiting.slice(OFFERED_AT_ONCE)',
    off: 'waiting.slice(0), waiting.slice(waiting.length)',
    only: 'few at once',
  },
  {
    ...OFFERS,
    name: 'own transactions that are offered again: how often',
    on: 'if (blocks < BLOCKS_FIRST << (OFFERS_MAX - 1)) this.plan(',
    off: 'this.plan(',
    only: 'less and less',
  },
  {
    name: 'Raft: messages that are being read',
    file: 'src/io/raft/transport.ts',
    on: 'const held = this.bodies.open(',
    off: 'const held = new ByteBudget({ all: 1e12, ofSource: 1e12 }).open(',
    test: 'src/io/raft/transport.service.test.ts',
    only: 'counts messages that are posted',
  },
];
