import { HostileCluster } from '../cluster.ts';
import { HostileNetwork } from '../network.ts';
import { type Suite, suiteOf } from '../suite.ts';
import { DISCOVERY_CASES } from './discovery.ts';
import { HANDSHAKE_CASES } from './handshakes.ts';
import { NEWEST_FORK_CASES, OPCODE_CASES } from './opcodes.ts';
import { PEER_CASES } from './peers.ts';
import { PROPOSER_CASES } from './proposer.ts';
import { RAFT_CASES } from './raft.ts';
import { READER_CASES } from './readers.ts';
import { RPC_CASES } from './rpc.ts';
import { SOCKET_CASES } from './sockets.ts';
import { TRANSACTION_CASES } from './transactions.ts';

export const SUITES: readonly Suite[] = [
  suiteOf(
    (folder, { reference }) => HostileNetwork.start(folder, { reference }),
    [
      ...READER_CASES,
      ...RPC_CASES,
      ...SOCKET_CASES,
      ...PEER_CASES,
      ...HANDSHAKE_CASES,
      ...DISCOVERY_CASES,
      ...OPCODE_CASES,
      // After all others, because what they leave in the pool is tried out for minutes.
      ...TRANSACTION_CASES,
      // Last, because it takes a validator's place.
      ...PROPOSER_CASES,
    ],
  ),
  suiteOf((folder) => HostileNetwork.start(folder, { isNewestFork: true }), NEWEST_FORK_CASES),
  suiteOf((folder) => HostileCluster.start(folder), RAFT_CASES),
];
