/** Options of the peer-to-peer network. */
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
    flag: 'maxpendpeers',
    type: 'integer',
    default: 0,
    about: 'Connections of others that may wait for their handshake; 0: 50',
    group: GROUP,
  },
  {
    flag: 'netrestrict',
    type: 'list',
    default: [],
    about: 'IP networks that peers must be in, such as 10.0.0.0/8,192.168.1.0/24',
    group: GROUP,
  },
  {
    flag: 'nat',
    type: 'string',
    default: 'any',
    about:
      'extip:ADDRESS: the address at which others reach this node, for its enode URL. Routers are never asked to map ports: any, upnp and pmp count as none',
    group: GROUP,
  },
  {
    flag: 'nodekey',
    type: 'string',
    unit: 'file or URL',
    about: "File of the node's key, or URL of the signing proxy that has it",
    group: GROUP,
  },
  {
    flag: 'nodekey.token-file',
    type: 'string',
    unit: 'file',
    about: 'File with the token for the signing proxy of --nodekey',
    group: GROUP,
  },
  {
    flag: 'nodekey.tls.rootca',
    type: 'string',
    unit: 'file',
    about: 'Certificates (PEM) that the signing proxy of --nodekey must descend from',
    group: GROUP,
  },
  {
    flag: 'nodekey.tls.clientcert',
    type: 'string',
    unit: 'file',
    about: "This node's certificate (PEM) for the signing proxy of --nodekey",
    group: GROUP,
  },
  {
    flag: 'nodekey.tls.clientkey',
    type: 'string',
    unit: 'file',
    about: 'Its private key (PEM)',
    group: GROUP,
  },
  { flag: 'nodekeyhex', type: 'string', about: "The node's key in hex, for tests", group: GROUP },
  {
    flag: 'permissioned',
    type: 'boolean',
    default: false,
    about:
      'Only nodes of permissioned-nodes.json may connect; with permission-config.json, contracts decide who may do what',
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
    flag: 'bootnodes',
    type: 'list',
    default: [],
    about: 'Enode URLs with which discovery begins; none are built in',
    group: GROUP,
  },
  {
    flag: 'nodiscover',
    type: 'boolean',
    default: false,
    about:
      'Do not discover peers, and do not answer the discovery of others: peers come from static-nodes.json and admin_addPeer',
    group: GROUP,
  },
];
