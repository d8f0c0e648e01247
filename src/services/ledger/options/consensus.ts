/** Rows of agreement and of blocks that this node proposes. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Consensus';

export const CONSENSUS_ROWS: readonly OptionRow[] = [
  { flag: 'mine', type: 'boolean', default: false, about: 'Take part in consensus', group: GROUP },
  {
    flag: 'miner.etherbase',
    type: 'string',
    aliases: ['etherbase'],
    about:
      'Account that a Raft minter is paid to once gas has a price; the first account of the node unless given',
    group: GROUP,
  },
  {
    flag: 'raft',
    type: 'boolean',
    default: false,
    about: 'Take part in a Raft cluster, where the genesis file names no other consensus',
    group: GROUP,
  },
  {
    flag: 'raftport',
    type: 'integer',
    unit: 'port',
    default: 50_400,
    about: 'TCP port for the members of the Raft cluster',
    group: GROUP,
  },
  {
    flag: 'raft.addr',
    type: 'string',
    default: '0.0.0.0',
    about: 'Address to listen on for members of the Raft cluster, who are not authenticated',
    group: GROUP,
  },
  {
    flag: 'raftblocktime',
    type: 'integer',
    default: 50,
    unit: 'milliseconds',
    about: 'Time between two Raft blocks at least',
    group: GROUP,
  },
  {
    flag: 'raftjoinexisting',
    type: 'integer',
    default: 0,
    about: 'Raft id that raft_addPeer or raft_addLearner gave this node',
    group: GROUP,
  },
  {
    flag: 'raftdnsenable',
    type: 'boolean',
    default: false,
    about: 'Members of the Raft cluster may have host names',
    group: GROUP,
  },
  {
    flag: 'raftlogdir',
    type: 'string',
    unit: 'folder',
    about: 'Folder for the Raft log, in place of the data folder',
    group: GROUP,
  },
  {
    flag: 'miner.gastarget',
    type: 'integer',
    default: 700_000_000,
    about: 'Gas limit that proposals move up to',
    group: GROUP,
  },
  {
    flag: 'miner.gaslimit',
    type: 'integer',
    default: 800_000_000,
    about: 'Gas limit that proposals do not exceed',
    group: GROUP,
  },
  {
    flag: 'miner.txtime',
    type: 'duration',
    about:
      'CPU time that one transaction may take before this node drops it; half of the request timeout by default, 5s on Raft',
    group: GROUP,
  },
  {
    flag: 'miner.txgaslimit',
    type: 'integer',
    default: 0,
    about:
      'Most gas of a transaction in the pool and in blocks of this node; 0 for that of a block',
    group: GROUP,
  },
  {
    flag: 'miner.extradata',
    type: 'string',
    default: '',
    aliases: ['extradata'],
    about: 'Text for the vanity of proposals',
    group: GROUP,
  },
  {
    flag: 'istanbul.blockperiod',
    type: 'integer',
    unit: 'seconds',
    about: 'Block period, where the genesis file has a legacy "istanbul" block',
    group: GROUP,
  },
  {
    flag: 'istanbul.requesttimeout',
    type: 'integer',
    unit: 'ms',
    about: 'Round timeout, where the genesis file has a legacy "istanbul" block',
    group: GROUP,
  },
  {
    flag: 'allowedfutureblocktime',
    type: 'integer',
    default: 0,
    unit: 'seconds',
    about: 'How far ahead a block may be',
    group: GROUP,
  },
];
