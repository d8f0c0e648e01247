/**
 * Every option of every command that names a path, with a wrong path: no user sees a raw error of
 * Node.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, pkcs12 } from '../../test/support/certificates.ts';
import { commandRun } from '../../test/support/command-run.ts';
import { oneInTurn } from '../../test/support/effort.ts';
import { genesisFile, testSecretKey } from '../../test/support/genesis-file.ts';
import { gethDatadir } from '../../test/support/geth-datadir.ts';
import { scratchFolder } from '../../test/support/scratch.ts';
import { bareHex, fromHex } from '../core/base/hex.ts';
import { migrate } from '../io/database/migrate.ts';
import { openDatabase } from '../io/database/open.ts';
import { encryptKey } from '../io/keys/keystore.ts';
import { isPathUnit, type OptionRow } from '../io/options/options.ts';
import { rampOffer } from '../services/devnet/ramp-offer.ts';
import { SCHEMA as RAMP_SCHEMA } from '../services/ramp/store/schema.ts';
import { allCommands, COMMAND_NAMES } from './commands.ts';
import { CONSOLE_ROWS } from './console/options.ts';

const NOBODY = 65_534;
/**
 * Texts meant for programs: error codes of the system and of Node, its texts about JSON, stacks.
 */
const RAW =
  /\b(ENOENT|EACCES|EISDIR|ENOTDIR|EEXIST|EPERM|EINVAL|ENXIO|EADDR\w+|ECONN\w+|ERR_\w+)\b|Unexpected (token|end)|in JSON at|is not valid JSON|^\s+at .+:\d+|error:[0-9A-F]{8}:|node:internal|\[object |syscall|undefined/;

const root = scratchFolder('quorate-paths-');
const at = (...names: string[]) => join(root, ...names);
const isRoot = process.getuid?.() === 0;

/** Valid files for every command; each case makes one path wrong. */
beforeAll(async () => {
  const { cert, key } = makeCertificate('server');
  writeFileSync(at('cert.pem'), cert);
  writeFileSync(at('key.pem'), key);
  writeFileSync(at('server.p12'), pkcs12({ name: 'server', cert, key }, 'a password'));
  writeFileSync(at('token'), 'a-token\n');
  const genesis = genesisFile({ engine: 'qbft', validators: [`0x${'11'.repeat(20)}`] });
  writeFileSync(at('genesis.json'), JSON.stringify(genesis));
  for (const data of ['data', 'kept'])
    await succeeds('init', '--datadir', at(data), at('genesis.json'));
  writeFileSync(at('raft.json'), JSON.stringify(genesisFile({ engine: 'raft' })));
  await succeeds('init', '--datadir', at('raft'), at('raft.json'));
  await succeeds('export', '--datadir', at('data'), at('blocks.rlp'));
  gethDatadir(at('geth'));
  const table = 'CREATE TABLE ENCRYPTED_TRANSACTION (HASH BLOB, ENCODED_PAYLOAD BLOB)';
  writeFileSync(at('tessera.sql'), `${table};\nCOMMIT;\n`);
  const line = `/opt/web3signer --key-store-path=${at('keys')} eth1 --chain-id=1337`;
  writeFileSync(at('proxy.service'), `[Service]\nExecStart=${line}\n`);
  mkdirSync(at('ptm'));
  await succeeds('ptm', 'keygen', '--filename', at('ptm/tm'));
  writeFileSync(at('ptm/config.json'), JSON.stringify(ptmConfig()));
  mkdirSync(at('keys'));
  mkdirSync(at('keystores'));
  const keystore = await encryptKey(fromHex(testSecretKey(1)), 'a password', { light: true });
  writeFileSync(at('keystores/key.json'), JSON.stringify(keystore));
  mkdirSync(at('own'));
  writeFileSync(at('own/key.json'), JSON.stringify(keystore));
  await succeeds(
    ...['staking', 'client', 'add', '--datadir', at('staking')],
    ...['--name', 'x', '--audience', 'https://x/'],
  );
  await succeeds('staking', 'key', 'rotate', '--datadir', at('staking'));
  mkdirSync(at('ramp-store'));
  const store = await openDatabase({ url: undefined, file: at('ramp-store/ramp.db') }, {});
  await migrate(store, RAMP_SCHEMA);
  await store.close();
  await succeeds(
    ...['backup', '--datadir', at('kept'), '--out', at('snapshot')],
    ...['--staking.datadir', at('staking'), '--ramp.datadir', at('ramp-store')],
  );
  writeFileSync(at('password.txt'), 'a password\n');
  writeFileSync(at('key.hex'), bareHex(fromHex(testSecretKey(2))));
  writeFileSync(at('ramp.json'), JSON.stringify(rampOffer(undefined)));
});

function ptmConfig(change: object = {}): object {
  return {
    serverConfigs: ['Q2T', 'P2P'].map((app) => ({ app, serverAddress: 'http://127.0.0.1:0' })),
    keys: { keyData: [{ privateKeyPath: 'tm.key', publicKeyPath: 'tm.pub' }] },
    ...change,
  };
}

async function succeeds(...argv: string[]): Promise<void> {
  const { status, lines } = await commandRun(...argv);
  expect(status, lines.join('\n')).toBe(0);
}

/**
 * Lets cases that run without a superuser's rights use all files except those that a case locks.
 */
function openToAll(folder = root): void {
  chownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { withFileTypes: true })) {
    if (name.isDirectory()) openToAll(join(folder, name.name));
    else chownSync(join(folder, name.name), NOBODY, NOBODY);
  }
}

let count = 0;
const GARBAGE = Buffer.concat([
  Buffer.from([0, 0xff, 0xfe, 0x7b, 0x22]),
  Buffer.from('hunter2\n{'),
]);
/** Names of files that programs look for in folders. */
const LOOKED_FOR = [
  ...['genesis.json', 'static-nodes.json', 'trusted-nodes.json', 'nodekey', 'key.json', 'key.yaml'],
  ...[
    'key.toml',
    'key.txt',
    'manifest.json',
    'UTC--2026--ab',
    'secret',
    'staking.db',
    'devnet.json',
  ],
];

/** Each makes a bad file or folder at the path, at which nothing exists yet. */
const BAD: Readonly<Record<string, (path: string, isFolder: boolean) => void>> = {
  missing: () => {},
  'of the other kind': (path, isFolder) => (isFolder ? writeFileSync(path, '') : mkdirSync(path)),
  locked(path, isFolder) {
    if (isFolder) mkdirSync(path);
    else writeFileSync(path, '{}');
    if (isRoot) chownSync(path, 0, 0);
    chmodSync(path, 0);
  },
  empty: (path, isFolder) => (isFolder ? mkdirSync(path) : writeFileSync(path, '')),
  garbage(path, isFolder) {
    if (!isFolder) return writeFileSync(path, GARBAGE);
    mkdirSync(path);
    for (const name of LOOKED_FOR) writeFileSync(join(path, name), GARBAGE);
  },
};

/** Runs as a user without special rights, for whom permissions are enforced. */
async function asUser<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

/** The node's threads load their modules as this user too. */
const readsProject = await asUser(async () => {
  try {
    closeSync(openSync(import.meta.filename, 'r'));
    return true;
  } catch {
    return false;
  }
});

const NODE = ['--port', '0', '--ipcdisable'];
const PTM = ['--configfile', '@ptm/config.json'];
const SIGNER = [
  ...['--chain-id', '1337', '--downstream-http-port', '1', '--http-listen-port', '0'],
  ...['--data-path', '@signer', '--key-store-path', '@keys'],
];
const STAKING = ['--datadir', '@staking'];
const SOMEBODY = `0x${'42'.repeat(20)}`;
const ACCOUNT = ['--datadir', '@accounts', '--lightkdf', '--password', '@password.txt'];
const WANTED = ['--plugins.account.config', '{"secretName": "x"}'];
const words = (text: string) => text.split(' ');
/** Other options of each command; `@` is the scratch folder. */
const BASE: Readonly<Record<string, readonly string[]>> = {
  node: ['--datadir', '@data', ...NODE],
  init: ['--datadir', '@data', '@genesis.json'],
  import: ['--datadir', '@data', '@blocks.rlp'],
  export: ['--datadir', '@data', '@out.rlp'],
  ptm: PTM,
  'ptm recover': PTM,
  'ptm keygen': ['--filename', '@fresh'],
  signer: SIGNER,
  staking: [...STAKING, '--http.port', '0'],
  'staking client': [...STAKING, 'list'],
  'staking reward': [...STAKING, 'list'],
  'staking key': [...STAKING, 'rotate'],
  'staking audit': STAKING,
  backup: ['--datadir', '@kept', '--out', '@out'],
  restore: ['--from', '@snapshot'],
  db: ['--datadir', '@data', 'reindex'],
  'db verify': ['--datadir', '@data'],
  genesis: words('--consensus qbft --validators 4 --members 0 --bootnodes 0'),
  'account new': ACCOUNT,
  'account list': ['--datadir', '@accounts'],
  'account import': [...ACCOUNT, '@key.hex'],
  'account plugin new': WANTED,
  'account plugin import': [...WANTED, '@key.hex'],
  'account update': ['--keystore', '@own', '--lightkdf', '--password', '@password.txt', '0'],
  ramp: words('--datadir @ramp --offer @ramp.json --http.port 0 --ledger.url http://127.0.0.1:1'),
  'ramp conformance': ['http://127.0.0.1:1'],
  'ramp reconcile': words('--datadir @ramp --ledger.url http://127.0.0.1:1'),
  explorer: words('--node http://127.0.0.1:1 --http.port 0'),
  'permission init': ['--permission-config', '@permission.json', '--from', SOMEBODY],
  'permission org': ['suspend', 'ORG1', '--from', SOMEBODY],
  'permission node': ['activate', 'ORG1', `0x${'11'.repeat(64)}`, '--from', SOMEBODY],
  'permission account': ['suspend', 'ORG1', SOMEBODY, '--from', SOMEBODY],
  'permission role': ['remove', 'ORG1', 'SALES', '--from', SOMEBODY],
  'migrate datadir': ['--datadir', '@migrated', '--verify=false', '@geth/datadir'],
  'migrate manager': [...PTM, '--dump', '@tessera.sql', '--ptmdir', '@managed'],
  'migrate signer': [],
  mpsdbupgrade: ['--datadir', '@data'],
  devnet: ['stop'],
  attach: ['--exec', '1'],
  console: ['--datadir', '@data', ...NODE, '--exec', '1'],
  js: ['--datadir', '@data', ...NODE, '@genesis.json'],
};
const HTTP = ['--http', '--http.port', '0'];
const PTM_TLS = ['--ptm.url', 'https://127.0.0.1:1', '--ptm.tls.mode', 'strict'];
const NODE_KEY = ['--nodekey', 'https://127.0.0.1:1/'];
const SERVER_STORE = '--tls-keystore-file @server.p12 --tls-keystore-password-file @password.txt';
const NODE_STORE =
  '--downstream-http-tls-keystore-file @server.p12 --downstream-http-tls-keystore-password-file @password.txt';
/** Options without which the tested one has no effect. They come first: the later of two counts. */
const WITH: Readonly<Record<string, readonly string[]>> = {
  'migrate signer out': ['--unit', '@proxy.service'],
  'node password': words('--keystore @keystores --unlock 0'),
  ipcpath: ['--ipcdisable=false'],
  'node raftlogdir': words('--datadir @raft --raft --raftjoinexisting 2 --raftport 0'),
  'http.tls.cert': [...HTTP, '--http.tls.key', '@key.pem'],
  'http.tls.key': [...HTTP, '--http.tls.cert', '@cert.pem'],
  'tls.cert': ['--tls.key', '@key.pem'],
  'tls.key': ['--tls.cert', '@cert.pem'],
  'rpc.auth.keys': HTTP,
  'rpc.auth.client-secret-file': [
    ...HTTP,
    ...words('--rpc.auth.introspect http://127.0.0.1:1/ --rpc.auth.client-id x'),
  ],
  'rpcclitls.cert': ['https://127.0.0.1:1'],
  'rpcclitls.cacert': ['https://127.0.0.1:1'],
  'ptm.tls.rootca': PTM_TLS,
  'nodekey.token-file': NODE_KEY,
  'nodekey.tls.rootca': NODE_KEY,
  'nodekey.tls.clientcert': [...NODE_KEY, '--nodekey.tls.clientkey', '@key.pem'],
  'nodekey.tls.clientkey': [...NODE_KEY, '--nodekey.tls.clientcert', '@cert.pem'],
  'ptm.tls.clientcert': [...PTM_TLS, '--ptm.tls.clientkey', '@key.pem'],
  'ptm.tls.clientkey': [...PTM_TLS, '--ptm.tls.clientcert', '@cert.pem'],
  'bootstrap.secret-file': ['--bootstrap.client', 'x'],
  'keystores-path': ['--keystores-password-file', '@password.txt'],
  'keystores-passwords-path': ['--keystores-path', '@keystores'],
  'keystores-password-file': ['--keystores-path', '@keystores', '--keystores-unlock-at-start'],
  'tls-keystore-file': words(`${SERVER_STORE} --tls-allow-any-client`),
  'tls-keystore-password-file': words(`${SERVER_STORE} --tls-allow-any-client`),
  'tls-known-clients-file': words(SERVER_STORE),
  'tls-client-ca-file': words(`${SERVER_STORE} --tls-allow-ca-clients`),
  'downstream-http-tls-keystore-file': words(`--downstream-http-tls-enabled ${NODE_STORE}`),
  'downstream-http-tls-keystore-password-file': words(
    `--downstream-http-tls-enabled ${NODE_STORE}`,
  ),
  'downstream-http-tls-ca-file': ['--downstream-http-tls-enabled'],
  'downstream-http-tls-known-servers-file': ['--downstream-http-tls-enabled'],
  'file-based-signer.key-file': ['--password-file', '@password.txt'],
  'file-based-signer.password-file': ['--key-file', '@keystores/key.json'],
  'hashicorp-signer.auth-file': words('--host 127.0.0.1 --port 1 --tls-enabled=false'),
  'hashicorp-signer.tls-known-server-file': words('--host 127.0.0.1 --port 1 --auth-file @token'),
  'azure-signer.client-secret-path': words(
    '--key-vault-name x --key-name x --client-id x --tenant-id x',
  ),
  genesis: ['--datadir', '@new'],
};
/** Commands with a file as their operand. */
const OPERANDS: readonly (readonly string[])[] = [
  ['init', '--datadir', '@data'],
  ['import', '--datadir', '@data'],
  ['export', '--datadir', '@data'],
  ['js', '--datadir', '@data', ...NODE],
  ['migrate datadir', '--datadir', '@migrated'],
  ['signer audit-verify'],
  ['staking reward', ...STAKING, 'import'],
];

interface Case {
  readonly name: string;
  readonly flag: string | undefined;
  readonly isFolder: boolean;
  argv(path: string): readonly string[];
}

/**
 * Cases that are not an error. Any line is a password, and encrypting a manager's key takes
 * seconds.
 */
const isFine = (name: string, kind: string) =>
  (name === 'ptm keygen --password-file' && kind === 'garbage') ||
  // The command writes this file.
  (name === 'permission init --permission-config' && kind === 'missing') ||
  // Once there is a node, any content is run or ignored.
  (/^((attach|console|js) --(preload|jspath)|js FILE)$/.test(name) &&
    ['empty', 'garbage'].includes(kind)) ||
  (/^account .* --password$/.test(name) && ['empty', 'garbage'].includes(kind));

const withOf = (command: string, flag: string) => WITH[`${command} ${flag}`] ?? WITH[flag] ?? [];

function caseOf(command: string, row: OptionRow): Case {
  const dot = row.flag.indexOf('.');
  const isOfSubcommand = command === 'signer' && dot > 0;
  const flag = isOfSubcommand ? row.flag.slice(dot + 1) : row.flag;
  const between = isOfSubcommand ? [row.flag.slice(0, dot)] : [];
  return {
    name: `${command} --${row.flag}`,
    flag,
    isFolder: row.unit === 'folder',
    argv: (path) => [
      ...[
        ...command.split(' '),
        ...(BASE[command] ?? []),
        ...between,
        ...withOf(command, row.flag),
      ],
      `--${flag}=${row.unit === 'file URI' ? `file://${path}` : path}`,
    ],
  };
}

const COMMANDS = await allCommands();

const CASES: readonly Case[] = [
  ...COMMANDS.flatMap(({ name, rows }) =>
    rows
      .filter(({ unit }) => isPathUnit(unit))
      // Other options are those of the node, which is a process of its own there.
      .filter((row) => !['console', 'js'].includes(name) || CONSOLE_ROWS.includes(row))
      .map((row) => caseOf(name, row)),
  ),
  ...OPERANDS.map(([command, ...more]) => ({
    name: `${command} FILE`,
    flag: undefined,
    isFolder: false,
    argv: (path: string) => [...command!.split(' '), ...more, path],
  })),
];

describe.each(CASES.map((each, turn) => ({ ...each, turn })))(
  '$name',
  ({ name, flag, isFolder, argv, turn }) => {
    const kinds = Object.keys(BAD).filter((kind) => !isFine(name, kind));
    it.for(oneInTurn(kinds, turn))('that is %s is reported in words', async (kind, { skip }) => {
      if (kind === 'locked' && !readsProject) skip('only a superuser can read this project');
      if (kind === 'locked' && isRoot) openToAll();
      const path = at(`bad-${count++}`);
      BAD[kind]!(path, isFolder);
      const placed = argv(path).map((word) => word.replace(/^@/, `${root}/`));
      const run = () => commandRun(...placed);
      const { lines, status } = await (kind === 'locked' ? asUser(run) : run());
      const said = lines.join('\n');
      expect(lines.filter((line) => RAW.test(line))).toEqual([]);
      expect(said).not.toContain('hunter2');
      if (status === 'serving' || status === 0) return;
      expect([1, 2]).toContain(status);
      const last = lines.findLast((line) => line !== '')!;
      expect(last).toMatch(/^Fatal: /);
      expect(last.includes(path) || last.includes(`--${flag}`), last).toBe(true);
    });
  },
);

it('a command has the name by which it is loaded', () => {
  expect(COMMANDS.map(({ name }) => name)).toEqual(COMMAND_NAMES);
});

it('an option that names a path is marked as one', () => {
  const names = /^(file|folder|certificate|.*\bin this file\b)/i;
  const unmarked = COMMANDS.flatMap(({ rows }) => rows)
    .filter(({ type, unit }) => type === 'string' && unit === undefined)
    .filter(({ about, ignored, refused }) => names.test(about) && !(ignored ?? refused));
  expect(unmarked.map(({ flag }) => flag)).toEqual([]);
});
