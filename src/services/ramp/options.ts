/** Options of `quorate ramp`, as rows. */
import type { OptionRow } from '../../io/options/options.ts';
import {
  configRow,
  listenRows,
  metricsRows,
  processRows,
  storeRows,
} from '../../io/options/service-rows.ts';

const SERVICE = 'Service';
const ACCESS = 'Access';
const LEDGER = 'Ledger';
const PORT_DEFAULT = 8560;

export const RAMP_ROWS: readonly OptionRow[] = [
  ...storeRows(SERVICE, {
    folder: 'ramp-data',
    about: 'Folder of the embedded store',
    env: 'QUORATE_RAMP_STORE',
  }),
  configRow(SERVICE),
  {
    flag: 'offer',
    type: 'string',
    unit: 'file',
    default: 'ramp.json',
    about: 'The offer (what, to whom, on which terms): JSON, read again when it changes',
    group: SERVICE,
  },
  ...listenRows(SERVICE, PORT_DEFAULT),
  {
    flag: 'public-url',
    type: 'string',
    about: 'Address as customers and payment providers see it; default: the one it listens on',
    group: SERVICE,
  },
  {
    flag: 'verify-paths',
    type: 'list',
    default: ['/verify-user'],
    about: 'Paths of the check of a hashed address',
    group: SERVICE,
  },
  ...processRows(SERVICE),
  {
    flag: 'operator.token-file',
    type: 'string',
    unit: 'file',
    about: "Holds the operator's token, at least 32 characters; default: no operation over HTTP",
    group: ACCESS,
  },
  {
    flag: 'payments.secret-file',
    type: 'string',
    unit: 'file',
    about:
      'Secrets (whsec_…, one per line) of events that your own payment system posts to /webhooks/payments; default: none are accepted',
    group: ACCESS,
  },
  {
    flag: 'stripe.key-file',
    type: 'string',
    unit: 'file',
    about:
      'Holds the secret key of a Stripe account, for payments with the adapter "stripe"; needs the package stripe; default: none',
    group: ACCESS,
  },
  {
    flag: 'stripe.webhook-secret-file',
    type: 'string',
    unit: 'file',
    about:
      'Signing secrets (whsec_…, one per line) of the events of Stripe at /webhooks/stripe; default: events are only polled',
    group: ACCESS,
  },
  {
    flag: 'stripe.url',
    type: 'string',
    default: 'https://api.stripe.com',
    about: "Address of Stripe's API",
    group: ACCESS,
  },
  ...metricsRows(SERVICE),
  {
    flag: 'auth.issuer',
    type: 'string',
    about:
      'Issuer of the tokens of partners, such as a token service of quorate staking; default: API keys only',
    group: ACCESS,
  },
  {
    flag: 'auth.keys',
    type: 'string',
    about: "Its key set; default: /.well-known/jwks.json at the issuer's address",
    group: ACCESS,
  },
  {
    flag: 'auth.audience',
    type: 'string',
    about:
      'Audience of these tokens; default: the address of this service, with a slash at the end',
    group: ACCESS,
  },
  {
    flag: 'rate',
    type: 'integer',
    default: 50,
    unit: 'requests/s',
    about: 'Requests per second of one address on average, ten times as many at once; 0: no limit',
    group: ACCESS,
  },
  {
    flag: 'trusted-proxies',
    type: 'list',
    about: 'Addresses and blocks whose X-Forwarded-For is trusted, such as 10.0.0.0/8',
    group: ACCESS,
  },
  {
    flag: 'ledger.url',
    type: 'string',
    default: 'http://127.0.0.1:8545',
    about: 'JSON-RPC of the signing proxy, or of a node that holds the account',
    group: LEDGER,
  },
  {
    flag: 'ledger.from',
    type: 'string',
    about: 'Account that pays crypto out; nothing else may send from it',
    group: LEDGER,
  },
  {
    flag: 'ledger.ws',
    type: 'string',
    about: 'WebSocket with notifications of new blocks; default: the address of --ledger.url',
    group: LEDGER,
  },
  {
    flag: 'sell.collector',
    type: 'string',
    about:
      'Contract that collects the crypto of sells (contracts/DepositCollector.sol): its address, or "deploy" to deploy one; default: no sells',
    group: LEDGER,
  },
];
