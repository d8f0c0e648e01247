/** Options of the transaction pool. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Transaction pool';

export const POOL_ROWS: readonly OptionRow[] = [
  {
    flag: 'txpool.accountslots',
    type: 'integer',
    default: 16,
    about: 'Executable transactions kept for every account',
    group: GROUP,
  },
  {
    flag: 'txpool.globalslots',
    type: 'integer',
    default: 4_096,
    about: 'Executable transactions in all',
    group: GROUP,
  },
  {
    flag: 'txpool.accountqueue',
    type: 'integer',
    default: 64,
    about: 'Waiting transactions of an account',
    group: GROUP,
  },
  {
    flag: 'txpool.globalqueue',
    type: 'integer',
    default: 1_024,
    about: 'Waiting transactions in all',
    group: GROUP,
  },
  {
    flag: 'txpool.pricelimit',
    type: 'integer',
    default: 1,
    unit: 'wei',
    about: 'Lowest gas price, where gas has a price',
    group: GROUP,
  },
  {
    flag: 'txpool.pricebump',
    type: 'integer',
    default: 10,
    unit: 'percent',
    about: 'How much more a replacement must pay',
    group: GROUP,
  },
  {
    flag: 'miner.gasprice',
    type: 'integer',
    default: 1_000_000_000,
    about:
      "Price in wei that a transaction without one gets while no block has paid any, where gas has a price; if given with --mine, also the lowest price of peers' transactions, instead of --txpool.pricelimit",
    group: GROUP,
  },
  {
    flag: 'gpo.blocks',
    type: 'integer',
    default: 20,
    about: 'Recent blocks whose prices determine the suggestion',
    group: GROUP,
  },
  {
    flag: 'gpo.percentile',
    type: 'integer',
    default: 60,
    about: 'Percentile of their prices that is suggested',
    group: GROUP,
  },
  {
    flag: 'gpo.maxprice',
    type: 'integer',
    default: 500_000_000_000,
    about: 'Price in wei that a suggestion never exceeds',
    group: GROUP,
  },
  {
    flag: 'txpool.locals',
    type: 'list',
    about: 'Addresses whose transactions count as local wherever they come from',
    group: GROUP,
  },
  {
    flag: 'txpool.nolocals',
    type: 'boolean',
    default: false,
    about: 'No privileges for local transactions',
    group: GROUP,
  },
  {
    flag: 'txpool.lifetime',
    type: 'duration',
    default: 10_800_000,
    about: 'How long a waiting transaction is kept',
    group: GROUP,
  },
];
