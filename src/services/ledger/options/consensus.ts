/** Options of consensus, and of blocks that this node proposes. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Consensus';

export const CONSENSUS_ROWS: readonly OptionRow[] = [
  { flag: 'mine', type: 'boolean', default: false, about: 'Take part in consensus', group: GROUP },
  {
    flag: 'miner.etherbase',
    type: 'string',
    aliases: ['etherbase'],
    about:
      "Account that receives a Raft minter's fees once gas has a price; default: the first account of the node",
    group: GROUP,
  },
  {
    flag: 'raft',
    type: 'boolean',
    default: false,
    about: 'Take part in a Raft cluster, if the genesis file names no other consensus',
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
    about: 'Minimum time between two Raft blocks',
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
    about: 'Folder for the Raft log, instead of the data folder',
    group: GROUP,
  },
  {
    flag: 'miner.gastarget',
    type: 'integer',
    default: 700_000_000,
    about: 'Gas limit up to which proposals grow',
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
      'CPU time that one transaction may take before this node drops it; default: half of the request timeout, 5s on Raft',
    group: GROUP,
  },
  {
    flag: 'miner.txgaslimit',
    type: 'integer',
    default: 0,
    about:
      'Most gas of a transaction in the pool and in blocks of this node; 0: the limit of a block',
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
    about: 'Block period, if the genesis file has a legacy "istanbul" block',
    group: GROUP,
  },
  {
    flag: 'istanbul.requesttimeout',
    type: 'integer',
    unit: 'ms',
    about: 'Round timeout, if the genesis file has a legacy "istanbul" block',
    group: GROUP,
  },
  {
    flag: 'allowedfutureblocktime',
    type: 'integer',
    default: 0,
    unit: 'seconds',
    about: "How far in the future a block's timestamp may be",
    group: GROUP,
  },
];
