/** Options of `quorate staking` and of the commands that administer it, as rows. */
import type { OptionRow } from '../../io/options/options.ts';
import {
  configRow,
  listenRows,
  metricsRows,
  processRows,
  storeRows,
} from '../../io/options/service-rows.ts';
import { ATTEMPT_RULES } from './token/attempts.ts';

const SERVICE = 'Service';
const TOKENS = 'Tokens';
const API = 'Staking API';
const DAY_SECONDS = 24 * 60 * 60;
const PORT_DEFAULT = 8550;

export const STORE_ROWS: readonly OptionRow[] = [
  ...storeRows(SERVICE, {
    folder: 'staking-data',
    about: 'Folder of the embedded store and of the secret file',
    env: 'QUORATE_STAKING_STORE',
  }),
  {
    flag: 'secret-file',
    type: 'string',
    unit: 'file',
    about:
      '32 bytes in hex that encrypt signing keys and derive validators; default: secret in --datadir, created when missing',
    group: SERVICE,
  },
  configRow(SERVICE),
];

export const STAKING_ROWS: readonly OptionRow[] = [
  ...STORE_ROWS,
  ...listenRows(SERVICE, PORT_DEFAULT),
  {
    flag: 'tls.cert',
    type: 'string',
    unit: 'file',
    about: 'Certificate chain, PEM: serves https with --tls.key',
    group: SERVICE,
  },
  { flag: 'tls.key', type: 'string', unit: 'file', about: 'Its private key, PEM', group: SERVICE },
  ...processRows(SERVICE),
  ...metricsRows(SERVICE),
  {
    flag: 'auth.issuer',
    type: 'string',
    about: 'Address of the token service as clients see it; default: the address it listens on',
    group: TOKENS,
  },
  {
    flag: 'auth.error-style',
    type: 'string',
    default: 'rfc6749',
    about: 'Wording of refusals: rfc6749, or auth0 as on the documented host',
    group: TOKENS,
  },
  {
    flag: 'auth.algorithm',
    type: 'string',
    default: 'ES256',
    about: 'Of new signing keys: ES256, EdDSA or RS256',
    group: TOKENS,
  },
  {
    flag: 'auth.token-seconds',
    type: 'integer',
    default: DAY_SECONDS,
    unit: 'seconds',
    about: 'How long a token lives',
    group: TOKENS,
  },
  {
    flag: 'auth.tolerance',
    type: 'integer',
    default: 30,
    unit: 'seconds',
    about: 'Most difference between the clocks of several instances',
    group: TOKENS,
  },
  {
    flag: 'auth.rotate-days',
    type: 'integer',
    default: 90,
    unit: 'days',
    about: 'Replace the signing key after this time; 0: by command only',
    group: TOKENS,
  },
  {
    flag: 'auth.rate',
    type: 'integer',
    default: ATTEMPT_RULES.rate,
    unit: 'tokens/s',
    about: 'Tokens per client in the long run; twice as many at once',
    group: TOKENS,
  },
  {
    flag: 'auth.failures',
    type: 'integer',
    default: ATTEMPT_RULES.failuresMax,
    about: 'Wrong secrets of one client within five minutes after which it is locked out for five',
    group: TOKENS,
  },
  {
    flag: 'auth.address-failures',
    type: 'integer',
    default: ATTEMPT_RULES.addressFailuresMax,
    about:
      'Wrong secrets from one address that lock it out likewise; 0: addresses are not counted, as behind a proxy that is the address of all',
    group: TOKENS,
  },
  {
    flag: 'bootstrap.client',
    type: 'string',
    about: 'Create this client if missing, for all of the API; needs --bootstrap.secret-file',
    group: TOKENS,
  },
  {
    flag: 'bootstrap.secret-file',
    type: 'string',
    unit: 'file',
    about: 'File with its secret, at least 32 characters; not read once the client exists',
    group: TOKENS,
  },
  {
    flag: 'api',
    type: 'boolean',
    default: true,
    about: 'Serve the staking API too',
    group: API,
  },
  {
    flag: 'api.audience',
    type: 'string',
    about: 'Audience of its tokens; default: its address, with a slash at the end',
    group: API,
  },
  {
    flag: 'ledger.url',
    type: 'string',
    default: 'http://127.0.0.1:8545',
    about: 'JSON-RPC of the signing proxy, or of a node that holds the account',
    group: API,
  },
  {
    flag: 'deposit.from',
    type: 'string',
    about: 'Account that pays the deposits; nobody else may send from it',
    group: API,
  },
  {
    flag: 'deposit.contract',
    type: 'string',
    about: 'Deposit contract; default: one is deployed on first use, and remembered',
    group: API,
  },
  {
    flag: 'deposit.fork-version',
    type: 'string',
    default: '0x00000000',
    about: 'Genesis fork version for signing deposits, 4 bytes',
    group: API,
  },
];
