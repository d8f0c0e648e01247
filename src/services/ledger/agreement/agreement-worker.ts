/** The thread of agreement: opens the votes and the node's end of the peer-to-peer network, and agrees until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../../../core/base/ports.ts';
import { VoteFile } from '../../../core/store/vote-file.ts';
import { installCrypto } from '../../../io/crypto/crypto.ts';
import { steadyClock, systemClock } from '../../../io/host/clock.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { Permits } from '../../../io/p2p/permits.ts';
import { P2pServer } from '../../../io/p2p/server.ts';
import { openVotes } from '../../../io/storage/data-folder.ts';
import { LoopWatch } from '../../../io/telemetry/loop-watch.ts';
import { voteStore } from '../node/consensus/memory-watch.ts';
import { nodeSigner } from '../node-signer.ts';
import { watchedPorts } from '../watched.ts';
import { LastVote } from './last-vote.ts';
import type { AgreementSettings, FromAgreement, ToAgreement } from './messages.ts';
import { Outbox } from './outbox.ts';
import { Seat } from './seat.ts';

const { storeFolder, sealedVote, permissionsIn, peers, ...given }: AgreementSettings = workerData;
const port = parentPort!;
const outbox = new Outbox<FromAgreement>(port);
const log: Log = (level, message, facts) => outbox.say({ kind: 'log', level, message, facts });

await installCrypto();
const files = await openVotes(storeFolder);
const votes = new VoteFile(files.votes, files.votesWritten, sealedVote);
const lastVote = new LastVote(given.lastVote);
const watch = new LoopWatch(log);
watch.onLag((lag) => outbox.say({ kind: 'lag', lag, longest: watch.longest }));
watch.start();

const permits = permissionsIn === undefined ? undefined : new Permits(permissionsIn, log);
const server = new P2pServer({
  ...peers,
  log,
  mayConnect: (peer) => permits?.mayConnect(peer) ?? true,
  revoked: () => permits?.revoked(),
  isKnown: (id) => permits !== undefined || seat.isValidator(id),
  backlog: (id) => seat.backlog(id),
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
  signer: nodeSigner(peers.nodeKey),
  clock: steadyClock,
  calendar: systemClock,
  log,
  permit: (contract) => permits?.set(contract),
  end: () => void end(),
});
port.on('message', (messages: readonly ToAgreement[]) => {
  for (const message of messages) watch.during(`node ${message.kind}`, () => seat.take(message));
});

async function end(): Promise<void> {
  seat.stop();
  await server.stop();
  watch.stop();
  files.close();
  outbox.flush();
  port.close();
}
