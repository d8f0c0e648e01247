/** Flags of the reference that change nothing here, or are refused with what to do instead. */
import type { OptionRow } from '../../io/host/options.ts';

const COMPATIBILITY = 'Accepted for compatibility, without effect';

export const COMPATIBILITY_ROWS: readonly OptionRow[] = [
  ...[
    'nousb',
    'plugins.skipverify',
    'plugins.localverify',
    'graphql',
    'cache.noprefetch',
    'cache.preimages',
    'snapshot',
    'privatetriecache.enable',
    'miner.noverify',
    'miner.notify.full',
    'metrics.expensive',
    'log.debug',
    'log.json',
  ].map(
    (flag): OptionRow => ({
      flag,
      type: 'boolean',
      default: false,
      about: 'No effect',
      group: COMPATIBILITY,
    }),
  ),
  ...[
    'miner.threads',
    'miner.gasprice',
    'miner.recommit',
    'nat',
    'cache',
    'cache.database',
    'cache.trie',
    'cache.trie.journal',
    'cache.trie.rejournal',
    'cache.gc',
    'cache.snapshot',
    'bootnodes',
    'discovery.dns',
    'immutabilitythreshold',
    'txlookuplimit',
    'txpool.journal',
    'txpool.rejournal',
    'maxpendpeers',
    'datadir.minfreedisk',
    'gpo.blocks',
    'gpo.percentile',
    'gpo.maxprice',
    'graphql.corsdomain',
    'graphql.vhosts',
    'log.backtrace',
    'vmodule',
    'ethstats',
    'plugins.publickey',
  ].map((flag): OptionRow => ({ flag, type: 'string', about: 'No effect', group: COMPATIBILITY })),
  ...['qlight.client', 'qlight.server'].map(
    (flag): OptionRow => ({
      flag,
      type: 'boolean',
      about: 'Refused: there are no light nodes',
      group: COMPATIBILITY,
      refused:
        'run a full node, and give its clients private states of their own with --multitenancy',
    }),
  ),
  {
    flag: 'netrestrict',
    type: 'string',
    about: 'Refused: peers are restricted by --permissioned',
    group: COMPATIBILITY,
    refused: 'name the peers in permissioned-nodes.json and start with --permissioned',
  },
];
