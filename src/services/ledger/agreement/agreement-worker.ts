/**
 * The agreement thread: opens the vote file and the peer-to-peer server, and runs consensus until
 * it is stopped.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../../../core/base/ports.ts';
import { Prng } from '../../../core/base/prng.ts';
import { RaftStore } from '../../../core/store/raft-store.ts';
import { VoteFile } from '../../../core/store/vote-file.ts';
import { installCrypto } from '../../../io/crypto/crypto.ts';
import { steadyClock, systemClock } from '../../../io/host/clock.ts';
import { systemEntropy } from '../../../io/host/entropy.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { openNodeKey } from '../../../io/keys/far-node-key.ts';
import { Permits } from '../../../io/p2p/permits.ts';
import { P2pServer } from '../../../io/p2p/server.ts';
import { RaftTransport } from '../../../io/raft/transport.ts';
import { nodeLogFolder } from '../../../io/storage/node-log-file.ts';
import { openVotes } from '../../../io/storage/vote-files.ts';
import { LoopWatch } from '../../../io/telemetry/loop-watch.ts';
import { consensusSigner } from '../keys/node-signer.ts';
import { watchedPorts } from '../monitoring/watched.ts';
import { voteStore } from '../node/consensus/memory-watch.ts';
import { RaftMember } from '../node/consensus/raft-member.ts';
import { LastVote } from './last-vote.ts';
import {
  type AgreementSettings,
  type FromAgreement,
  failureOf,
  type RaftThreadSettings,
  type ToAgreement,
} from './messages.ts';
import { NearRaft } from './near-raft.ts';
import { Outbox } from './outbox.ts';
import { Seat } from './seat.ts';

const { storeFolder, sealedVote, permissionsIn, peers, raft, ...given }: AgreementSettings =
  workerData;
const port = parentPort!;
const outbox = new Outbox<FromAgreement>(port);
const log: Log = (level, message, fields) => outbox.say({ kind: 'log', level, message, fields });

await installCrypto();
const files = await openVotes(storeFolder);
const votes = new VoteFile(files.votes, files.votesWritten, sealedVote, systemTimers);
const lastVote = new LastVote(given.lastVote);
const watch = new LoopWatch(log);
watch.onLag((lag) => outbox.say({ kind: 'lag', lag, longest: watch.longest }));
watch.start();

const raftLog = raft && (await RaftStore.open(nodeLogFolder(raft.folder)));
const member = raft && raftLog && raftMember(raft, raftLog);

const permits = permissionsIn === undefined ? undefined : new Permits(permissionsIn, log);
const nodeKey = openNodeKey(peers.nodeKey);
const server = new P2pServer({
  ...{ ...peers, nodeKey },
  log,
  mayConnect: (peer) => (member?.hasNode(peer.id) ?? true) && (permits?.mayConnect(peer) ?? true),
  revoked: () => permits?.revoked(),
  // Block producers and explicitly permitted nodes keep their places among the peers.
  isKnown: (id) => member !== undefined || permits !== undefined || seat.isValidator(id),
  backlog: (id) => seat.backlog(id),
});
const signer = consensusSigner(peers.nodeKey, {
  timers: systemTimers,
  arrived: () => watch.during('signature', () => seat.signed()),
});
const seat = new Seat({
  server,
  ...watchedPorts({ timers: systemTimers, links: server }, watch),
  outbox,
  votes: {
    ...voteStore(votes),
    async write(vote) {
      await votes.remember(vote);
      lastVote.number = votes.lastWritten;
    },
  },
  raft:
    member &&
    new NearRaft(member, (told, ...bytes) => outbox.say({ kind: 'raft', told }, ...bytes)),
  signer,
  clock: steadyClock,
  calendar: systemClock,
  log,
  permit: (contract) => permits?.set(contract),
  end: () => void end(),
});
port.on('message', (messages: readonly ToAgreement[]) => {
  for (const message of messages) watch.during(`node ${message.kind}`, () => seat.take(message));
});

/** The Raft protocol with its log; the main thread is told what is durable. */
function raftMember(
  { id, host, port, lastSave }: RaftThreadSettings,
  store: RaftStore,
): RaftMember {
  const last = new LastVote(lastSave);
  const told = async (written: Promise<void>) => {
    await written;
    last.number = store.lastWritten;
  };
  return new RaftMember({
    id,
    store: {
      contents: store.contents,
      save: (ready) => told(store.save(ready)),
      compact: (snapshot, firstKept) => told(store.compact(snapshot, firstKept)),
    },
    links: new RaftTransport({ id, host, port, log }),
    clock: steadyClock,
    timers: { set: (ms, fire) => systemTimers.set(ms, () => watch.during('raft tick', fire)) },
    chance: new Prng(new DataView(systemEntropy.bytes(4).buffer).getUint32(0)),
    log,
    fatal: (error) => outbox.say({ kind: 'fatal', error: failureOf(error) }),
  });
}

async function end(): Promise<void> {
  seat.stop();
  await member?.stop();
  raftLog?.close();
  await server.stop();
  watch.stop();
  files.close();
  outbox.flush();
  port.close();
}
