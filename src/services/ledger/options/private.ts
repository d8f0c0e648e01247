/** Options of private transactions and their manager. */
import type { OptionRow } from '../../../io/options/options.ts';

const GROUP = 'Private transactions';

export const PRIVATE_ROWS: readonly OptionRow[] = [
  {
    flag: 'privacymarker.enable',
    type: 'boolean',
    default: false,
    about: 'Own private transactions go out inside privacy marker transactions',
    group: GROUP,
  },
  {
    flag: 'eea.marker-account',
    type: 'string',
    about:
      'Unlocked account that marks EEA private transactions on the chain (default: a key of its own in the data folder)',
    group: GROUP,
  },
  {
    flag: 'ptm.url',
    type: 'string',
    about: 'URL of the private transaction manager',
    group: GROUP,
  },
  {
    flag: 'ptm.socket',
    type: 'string',
    unit: 'file',
    about: 'Unix socket of the private transaction manager',
    group: GROUP,
  },
  {
    flag: 'ptm.timeout',
    type: 'integer',
    unit: 'seconds',
    about: 'Time for an answer (5)',
    group: GROUP,
  },
  {
    flag: 'ptm.dialtimeout',
    type: 'integer',
    unit: 'seconds',
    about: 'Time to connect (1)',
    group: GROUP,
  },
  {
    flag: 'ptm.http.idletimeout',
    type: 'integer',
    unit: 'seconds',
    about: 'How long idle connections are kept (10)',
    group: GROUP,
  },
  { flag: 'ptm.tls.mode', type: 'string', about: 'off or strict', group: GROUP },
  {
    flag: 'ptm.tls.rootca',
    type: 'string',
    unit: 'file',
    about: 'Certificates to trust',
    group: GROUP,
  },
  {
    flag: 'ptm.tls.clientcert',
    type: 'string',
    unit: 'file',
    about: 'Certificate of this node',
    group: GROUP,
  },
  {
    flag: 'ptm.tls.clientkey',
    type: 'string',
    unit: 'file',
    about: 'Key of that certificate',
    group: GROUP,
  },
  {
    flag: 'ptm.tls.insecureskipverify',
    type: 'boolean',
    about: 'Do not check the certificate',
    group: GROUP,
  },
];
