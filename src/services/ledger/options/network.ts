/** Rows of the peer-to-peer network. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Network';

export const NETWORK_ROWS: readonly OptionRow[] = [
  {
    flag: 'networkid',
    type: 'integer',
    about: 'Network id; the chain id unless given',
    group: GROUP,
  },
  {
    flag: 'port',
    type: 'integer',
    unit: 'port',
    default: 30_303,
    about: 'TCP port for peers',
    group: GROUP,
  },
  {
    flag: 'p2p.addr',
    type: 'string',
    default: '0.0.0.0',
    about: 'Address to listen on for peers',
    group: GROUP,
  },
  { flag: 'maxpeers', type: 'integer', default: 50, about: 'Peers at most', group: GROUP },
  {
    flag: 'nodekey',
    type: 'string',
    unit: 'file',
    about: "File of the node's key",
    group: GROUP,
  },
  { flag: 'nodekeyhex', type: 'string', about: "The node's key in hex, for tests", group: GROUP },
  {
    flag: 'permissioned',
    type: 'boolean',
    default: false,
    about:
      'Only nodes of permissioned-nodes.json may connect; with permission-config.json its contracts say who may do what',
    group: GROUP,
  },
  {
    flag: 'permissioned.any-address',
    type: 'boolean',
    default: false,
    about:
      'Nodes may connect from other addresses than the permission contracts name (version 2), as behind gateways',
    group: GROUP,
  },
  {
    flag: 'nodiscover',
    type: 'boolean',
    default: true,
    about:
      'Peers come from static-nodes.json and admin_addPeer; false asks for what is not here yet',
    group: GROUP,
  },
];
