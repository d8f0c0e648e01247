/**
 * Wrong invocations of geth, recorded at GoQuorum 24.4.1: each is refused here too, with a text
 * that names the cause, or there is a reason why not.
 */

import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandRun } from '../../test/support/command-run.ts';
import { freePorts } from '../../test/support/free-ports.ts';
import { genesisFile } from '../../test/support/genesis-file.ts';
import { scratchFolder } from '../../test/support/scratch.ts';
import { OWN_VECTORS } from '../../test/vectors/folders.ts';
import { installCrypto } from '../io/crypto/crypto.ts';
import { encryptKey } from '../io/keys/keystore.ts';
import { openChain } from '../services/ledger/store/data.ts';
import { asQuorate } from './geth.ts';

interface Recorded {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Null: the process kept running. */
  readonly exitCode: number | null;
  readonly fatal: readonly string[];
}

const FILE = join(OWN_VECTORS, 'goquorum/bad-invocations.json');
const RECORDED = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Recorded[];
const VALIDATOR = `0x${'11'.repeat(20)}`;
const UNLOCKED = '4ab6914888a1506aa49875524ac1556f335b916f';
const folder = scratchFolder('quorate-invocations-');
const at = (name: string) => join(folder, name);

/** Unlike here, GoQuorum reads the file even without --permissioned. */
const UNREAD =
  'permission-config.json is not read: without --permissioned this node checks no permissions';

/**
 * Status and text by the name of the recording. geth always ends with 1; here an invocation that
 * was typed wrongly ends with 2.
 */
const OURS: Readonly<Record<string, readonly [status: number | 'serving', says: string]>> = {
  'unknown flag': [2, 'flag provided but not defined: --nosuchflag'],
  'unknown command': [2, 'quorate: unknown command "nosuch"'],
  'flag value of a wrong type': [
    2,
    'invalid value "abc" for flag --http.port: expected a whole number',
  ],
  'verbosity out of type': [2, 'invalid value "x" for flag --verbosity: expected a whole number'],
  'init without a file': [2, 'name the genesis file: quorate init --datadir data genesis.json'],
  'init, missing file': [1, 'cannot read @/none.json: there is no such file or folder'],
  'init, not JSON': [
    1,
    '@/a.json: invalid genesis file: no valid JSON: line 1, column 2: a name in double quotes is missing',
  ],
  'init, empty object': [
    1,
    "@/b.json: invalid genesis file: missing required field 'gasLimit' for Genesis",
  ],
  'init, no alloc': [
    1,
    "@/c.json: invalid genesis file: missing required field 'alloc' for Genesis",
  ],
  'init, no difficulty': [
    1,
    "@/d.json: invalid genesis file: missing required field 'difficulty' for Genesis",
  ],
  'init, no gasLimit': [
    1,
    "@/d2.json: invalid genesis file: missing required field 'gasLimit' for Genesis",
  ],
  'init, no config': [1, '@/d3.json: genesis has no chain configuration'],
  'init, transactions size limit out of range': [
    1,
    '@/e.json: Failed to write genesis block: Genesis transaction size limit must be between 32 and 128',
  ],
  'init, code size out of range': [
    1,
    '@/f.json: maxCodeSize data invalid: Genesis max code size must be between 24 and 128',
  ],
  'init, code size order': [
    1,
    '@/f2.json: maxCodeSize data invalid: invalid maxCodeSize detail, block order has to be ascending',
  ],
  'init, old and new code size together': [
    1,
    '@/f3.json: maxCodeSize data invalid: maxCodeSize & maxCodeSizeChangeBlock deprecated. Consider using maxCodeSizeConfig',
  ],
  'init, fork order': [
    1,
    '@/g.json: Failed to write genesis block: unsupported fork ordering: istanbulBlock enabled at 10, but muirGlacierBlock enabled at 0',
  ],
  'init, transition without block': [
    1,
    '@/h.json: transitions data invalid: block number not given in transitions data',
  ],
  'init, transition algorithm': [
    1,
    '@/h2.json: transitions data invalid: transition algorithm is invalid, should be either `ibft` or `qbft`',
  ],
  'init, qbft to ibft': [
    1,
    "@/h3.json: transitions data invalid: can't transition from qbft to ibft",
  ],
  'init, transition order': [
    1,
    '@/h4.json: transitions data invalid: block order should be ascending',
  ],
  'init, beneficiary mode validator in a transition': [
    1,
    '@/h5.json: transitions data invalid: beneficiary mode is not valid',
  ],
  'init, contract address without mode': [
    1,
    '@/h6.json: transitions data invalid: validator selection mode is missing, should specify `contract` when using validatorcontractaddress',
  ],
  'init, validators in extraData and contract': [
    1,
    '@/h7.json: invalid genesis file: cant combine extraData validators and config.qbft.validatorcontractaddress at the same time',
  ],
  'init, ibft and qbft together, then start: init': [
    1,
    'the attributes config.IBFT and config.QBFT are mutually exclusive on the genesis file',
  ],
  'start with ibft and qbft': [
    1,
    'there is no chain in @/b2: run "quorate init --datadir @/b2 genesis.json" first, or give --genesis',
  ],
  'init a first genesis': [0, ''],
  'init again, same': [0, ''],
  'init again, other alloc: incompatible': [1, 'database contains incompatible genesis '],
  'no consensus given': [
    1,
    'there is no chain in @/b4: run "quorate init --datadir @/b4 genesis.json" first, or give --genesis',
  ],
  'chain id 1': [1, 'Cannot have chain id or network id as 1.'],
  'start with network id 1': [2, '--networkid: Cannot have chain id or network id as 1.'],
  'no PRIVATE_CONFIG and no --ptm.url': ['serving', 'Quorate node is up'],
  'PRIVATE_CONFIG names a missing file': [
    1,
    "unable to check whether connection details are specified as a config file or ipc file '@/none.toml', due to: lstat @/none.toml: no such file or directory",
  ],
  'privacy manager is not reachable': [
    1,
    'unable to connect to private tx manager due to: unable to submit request (method:GET,path:/upcheck). Cause: Get "http://127.0.0.1:23999/upcheck": dial tcp 127.0.0.1:23999: connect: connection refused',
  ],
  'http port in use': [
    1,
    'cannot listen on 127.0.0.1:PORT: another process uses this port: stop that one, or choose another port (--http.port)',
  ],
  'p2p port in use': [
    1,
    'cannot listen on 127.0.0.1:PORT: another process uses this port: stop that one, or choose another port (--port)',
  ],
  'data directory locked': [
    1,
    '@/node/quorate is in use by process PID: stop that one first, or choose another --datadir',
  ],
  'nodekey file missing': [1, 'cannot read @/none: there is no such file or folder (--nodekey)'],
  'nodekey corrupt': [1, '@/pw: key file too short, want 64 hex characters (--nodekey)'],
  'nodekeyhex bad': [1, 'key file too short, want 64 hex characters'],
  'nodekey and nodekeyhex': [2, 'Options "nodekey" and "nodekeyhex" are mutually exclusive'],
  'unlock with a wrong password': [
    1,
    'Failed to unlock account 0x4ab6914888a1506aa49875524ac1556f335b916f (could not decrypt key with given password)',
  ],
  'unlock of an unknown account': [
    1,
    'Failed to unlock account 0x0000000000000000000000000000000000000009 (no key for given address or file): keys are in @/ks, passwords in @/bad',
  ],
  'unlock with HTTP open and no --allow-insecure-unlock': [
    1,
    'Account unlock with HTTP access is forbidden! Add --allow-insecure-unlock to allow it',
  ],
  'static-nodes.json corrupt': [
    1,
    '@/b3/static-nodes.json: no valid JSON: line 1, column 2: a value is missing or wrong (--datadir)',
  ],
  'static-nodes.json with a bad enode': ['serving', 'Node URL is not valid'],
  'config file missing': [
    2,
    'the configuration file: cannot read @/none.toml: there is no such file or folder',
  ],
  'config file with an unknown key': [2, '@/bad.toml: geth knows no key Node.NoSuchKey'],
  'config file is not TOML': [
    2,
    '@/bad2.toml: no valid TOML: line 1, column 5: illegal character in key',
  ],
  'attach to nothing': [
    1,
    'Unable to attach to remote geth: Post "http://127.0.0.1:23999/": 127.0.0.1:23999: nothing is listening there',
  ],
  'attach to a missing IPC file': [
    1,
    'Unable to attach to remote geth: dial unix @/none.ipc: there is no such file or folder',
  ],
  // The console writes this text directly to standard output: test/e2e/attach.test.ts checks it.
  'attach --exec with a JS error': [0, ''],
  'raft on a QBFT genesis': [2, 'raft'],
  'permission-config.json empty object': ['serving', UNREAD],
  'permission-config.json bad model': ['serving', UNREAD],
  'permission-config.json without accounts': ['serving', UNREAD],
  'plugins file missing': [1, '@/none.json: there is no such file or folder'],
  'ptm tls mode': [1, 'invalid value for TLS mode in config file, must be either OFF or STRICT'],
  syncmode: [2, '--syncmode'],
  gcmode: [2, '--gcmode'],
};

const genesis = (parts: object = {}) =>
  genesisFile({ engine: 'qbft', validators: [VALIDATOR], ...parts }) as Record<string, any>;
const without = (key: string) => {
  const { [key]: _, ...rest } = genesis();
  return rest;
};
const withConfig = (config: object) => genesis({ config });
const withTransitions = (...transitions: object[]) => genesis({ transitions });
const CONTRACT = `0x${'77'.repeat(20)}`;

const GENESIS_FILES: Readonly<Record<string, object>> = {
  'b.json': {},
  'c.json': without('alloc'),
  'd.json': without('difficulty'),
  'd2.json': without('gasLimit'),
  'd3.json': without('config'),
  'e.json': withConfig({ txnSizeLimit: 1_000 }),
  'f.json': withConfig({ maxCodeSizeConfig: [{ block: 0, size: 10 }] }),
  'f2.json': withConfig({
    maxCodeSizeConfig: [
      { block: 10, size: 32 },
      { block: 0, size: 24 },
    ],
  }),
  'f3.json': withConfig({ maxCodeSize: 32, maxCodeSizeConfig: [{ block: 0, size: 32 }] }),
  'g.json': withConfig({ istanbulBlock: 10, berlinBlock: 5 }),
  'h.json': withTransitions({ algorithm: 'qbft' }),
  'h2.json': withTransitions({ block: 5, algorithm: 'pow' }),
  'h3.json': withTransitions({ block: 5, algorithm: 'qbft' }, { block: 9, algorithm: 'ibft' }),
  'h4.json': withTransitions(
    { block: 9, blockperiodseconds: 2 },
    { block: 5, blockperiodseconds: 1 },
  ),
  'h5.json': withTransitions({ block: 5, beneficiaryMode: 'validator' }),
  'h6.json': withTransitions({ block: 5, validatorcontractaddress: CONTRACT }),
  'h7.json': genesis({ settings: { validatorcontractaddress: CONTRACT } }),
  'i.json': withConfig({ ibft: { epochlength: 30_000 } }),
  'j.json': genesis(),
  'k.json': genesis({ alloc: { [CONTRACT]: { balance: '0x1' } } }),
  'l.json': withConfig({ chainId: 1 }),
};

/** A node that occupies the port: in another thread, because the console blocks this one. */
const NODE = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const reply = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { eth: '1.0', rpc: '1.0' } });
  createServer((_, response) => response.setHeader('content-type', 'application/json').end(reply))
    .listen(workerData, '127.0.0.1', () => parentPort.postMessage('up'));
`;

/** Files that exist only for one invocation. */
const FOR_ONE: Readonly<Record<string, readonly [file: string, content: string]>> = {
  'static-nodes.json corrupt': ['static-nodes.json', '["enode://'],
  'static-nodes.json with a bad enode': ['static-nodes.json', '["enode://zz@127.0.0.1:1"]'],
  'permission-config.json empty object': ['permission-config.json', '{}'],
  'permission-config.json bad model': [
    'permission-config.json',
    '{"permissionModel": "v9", "accounts": []}',
  ],
  'permission-config.json without accounts': [
    'permission-config.json',
    '{"permissionModel": "v2", "accounts": []}',
  ],
};

let taken: Worker;
let port = 0;

beforeAll(async () => {
  await installCrypto();
  port = await freePorts();
  taken = new Worker(NODE, { eval: true, workerData: port });
  await once(taken, 'message');
  for (const [name, content] of Object.entries(GENESIS_FILES))
    writeFileSync(at(name), JSON.stringify(content));
  writeFileSync(at('a.json'), '{bad');
  writeFileSync(at('pw'), 'a password');
  writeFileSync(at('bad'), 'another password');
  writeFileSync(at('priv'), '11'.repeat(32));
  writeFileSync(at('bad.toml'), '[Node]\nNoSuchKey = 1\n');
  writeFileSync(at('bad2.toml'), 'not toml');
  writeFileSync(at('cfg.toml'), `[Node.P2P]\nListenAddr = "127.0.0.1:${port}"\n`);
  mkdirSync(at('ks'));
  const key = await encryptKey(new Uint8Array(32).fill(0x11), 'a password', { light: true });
  // The key file has the address of the recorded account, because the password is checked first.
  writeFileSync(at('ks/key'), JSON.stringify({ ...key, address: UNLOCKED }));
  await openChain(at('node'), { genesisFile: at('j.json') });
});
afterAll(() => taken.terminate());

it.each(RECORDED)(
  '$name',
  async ({ name, args, env = {} }) => {
    const one = FOR_ONE[name];
    const placed = (word: string) =>
      word.replace('<datadir>', folder).replace(/\b239(80|81|89)$/, String(port));
    const variables = Object.entries(env).map(([key, value]) => [key, placed(value)] as const);
    if (one) writeFileSync(join(at('b3'), one[0]), one[1]);
    Object.assign(process.env, Object.fromEntries(variables));
    try {
      const { status, lines } = await commandRun(...(await asQuorate('geth', args.map(placed))));
      const said = lines.join('\n').replaceAll(folder, '@').replaceAll(String(port), 'PORT');
      const [expected, text] = OURS[name]!;
      expect(said.replace(/by process \d+/, 'by process PID')).toContain(text);
      expect(status).toBe(expected);
    } finally {
      for (const [key] of variables) delete process.env[key];
      if (one) rmSync(join(at('b3'), one[0]));
    }
  },
  60_000,
);

it('each is there', () => {
  expect(Object.keys(OURS).sort()).toEqual(RECORDED.map(({ name }) => name).sort());
});
