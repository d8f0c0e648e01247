/** Options of `quorate ramp`, as rows, and what the service makes of them. */
import { resolve } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { isAddressBlock } from '../../io/http/dial-lookup.ts';
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';
import type { StoreSource } from './store/open.ts';

const SERVICE = 'Service';
const ACCESS = 'Access';
const LEDGER = 'Ledger';
const PORT_DEFAULT = 8560;

export const RAMP_ROWS: readonly OptionRow[] = [
  {
    flag: 'datadir',
    type: 'string',
    unit: 'folder',
    default: 'ramp-data',
    about: 'Folder of the embedded store',
    group: SERVICE,
  },
  {
    flag: 'store',
    type: 'string',
    env: 'QUORATE_RAMP_STORE',
    about: 'postgres://user@host:port/database in place of the embedded store',
    group: SERVICE,
  },
  {
    flag: 'config',
    type: 'string',
    unit: 'file',
    about: 'TOML file with the same names as the flags',
    group: SERVICE,
  },
  {
    flag: 'offer',
    type: 'string',
    unit: 'file',
    default: 'ramp.json',
    about: 'What is offered, to whom, on which terms: JSON, read again when it changes',
    group: SERVICE,
  },
  {
    flag: 'http.addr',
    type: 'string',
    default: '127.0.0.1',
    about: 'Address to listen on',
    group: SERVICE,
  },
  {
    flag: 'http.port',
    type: 'integer',
    unit: 'port',
    default: PORT_DEFAULT,
    about: 'Port to listen on; 0: any',
    group: SERVICE,
  },
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
    about: 'Paths under which the check of a hashed address is served',
    group: SERVICE,
  },
  {
    flag: 'pidfile',
    type: 'string',
    unit: 'file',
    about: 'Write the number of this process there, and remove the file at the end',
    group: SERVICE,
  },
  {
    flag: 'verbosity',
    type: 'integer',
    default: 3,
    about: 'Of the log: 0 silent to 5 trace',
    group: SERVICE,
  },
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
    about: 'Requests of one address in the long run, ten times as many at once; 0: no limit',
    group: ACCESS,
  },
  {
    flag: 'trusted-proxies',
    type: 'list',
    about: 'Addresses and blocks whose X-Forwarded-For is believed, such as 10.0.0.0/8',
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
    about: 'Account that pays crypto out; nobody else may send from it',
    group: LEDGER,
  },
];

export interface RampOptions extends StoreSource {
  readonly offerFile: string;
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. Undefined: as bound. */
  readonly publicUrl: string | undefined;
  readonly verifyPaths: readonly string[];
  readonly auth: AuthOptions | undefined;
  /** Requests a second of one address; 0: any. */
  readonly rate: number;
  readonly trustedProxies: readonly string[];
  readonly ledgerUrl: string;
  /** Lower case. Undefined: nothing is paid out. */
  readonly from: string | undefined;
}

export interface AuthOptions {
  readonly issuer: string;
  readonly keys: string;
  /** Undefined: as bound. */
  readonly audience: string | undefined;
}

/** Throws OPTION_VALUE_INVALID. */
export function rampOptions(options: ParsedOptions): RampOptions {
  const trustedProxies = options.list('trusted-proxies');
  const wrong = trustedProxies.find((each) => !isAddressBlock(each));
  if (wrong !== undefined) {
    throw invalid(`--trusted-proxies ${wrong}: an address, or a block such as 10.0.0.0/8`);
  }
  const rate = options.number('rate')!;
  if (rate < 0) throw invalid('--rate must be 0 or more');
  const verifyPaths = options.list('verify-paths');
  if (verifyPaths.some((path) => !/^\/[\w./~-]*$/.test(path))) {
    throw invalid('--verify-paths are paths such as /verify-user');
  }
  return {
    dataFolder: resolve(options.string('datadir')!),
    storeUrl: options.string('store'),
    offerFile: resolve(options.string('offer')!),
    host: options.string('http.addr')!,
    port: options.number('http.port')!,
    publicUrl: urlOf(options, 'public-url')?.replace(/\/$/, ''),
    verifyPaths,
    auth: authOf(options),
    rate,
    trustedProxies,
    ledgerUrl: urlOf(options, 'ledger.url')!,
    from: addressOf(options, 'ledger.from'),
  };
}

function authOf(options: ParsedOptions): AuthOptions | undefined {
  const issuer = options.string('auth.issuer');
  if (issuer === undefined) return undefined;
  const keys = options.string('auth.keys');
  if (keys === undefined && !URL.canParse(issuer)) {
    throw invalid('--auth.issuer must be a URL, or --auth.keys be given');
  }
  return {
    issuer,
    keys: keys ?? new URL('/.well-known/jwks.json', issuer).href,
    audience: options.string('auth.audience'),
  };
}

function urlOf(options: ParsedOptions, flag: string): string | undefined {
  const text = options.string(flag);
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw invalid(`--${flag} must be a URL`);
  return text;
}

function addressOf(options: ParsedOptions, flag: string): string | undefined {
  const text = options.string(flag);
  if (text === undefined) return undefined;
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw invalid(`--${flag} must be 0x and 40 hex digits`);
  return text.toLowerCase();
}

function invalid(message: string): Error {
  return fail('OPTION_VALUE_INVALID', message);
}
