/**
 * Ports that are in use, and addresses that this machine does not have: each server reports this,
 * with the name of the option.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandRun } from '../../test/support/command-run.ts';
import { seeds } from '../../test/support/effort.ts';
import { genesisFile } from '../../test/support/genesis-file.ts';
import { testOffer } from '../../test/support/ramp.ts';
import { scratchFolder } from '../../test/support/scratch.ts';

const root = scratchFolder('quorate-ports-');
const at = (...names: string[]) => join(root, ...names);
let other: Server;
let port: string;

beforeAll(async () => {
  other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  port = String((other.address() as AddressInfo).port);
  const qbft = genesisFile({ engine: 'qbft', validators: [`0x${'11'.repeat(20)}`] });
  writeFileSync(at('qbft.json'), JSON.stringify(qbft));
  writeFileSync(at('raft.json'), JSON.stringify(genesisFile({ engine: 'raft' })));
  for (const engine of ['qbft', 'raft'])
    await commandRun('init', '--datadir', at(engine), at(`${engine}.json`));
  writeFileSync(at('ramp.json'), JSON.stringify(testOffer()));
  mkdirSync(at('keys'));
  await commandRun('ptm', 'keygen', '--filename', at('tm'));
});
afterAll(() => other.close());

const NODE = ['node', '--p2p.addr', '127.0.0.1', '--ipcdisable', '--datadir'];
const RAMP = ['ramp', '--offer', at('ramp.json'), '--datadir'];
const SIGNER = ['signer', '--chain-id', '1', '--downstream-http-port', '1', '--key-store-path'];

const SERVERS: readonly [string, (taken: string) => readonly string[]][] = [
  ['port', (taken) => [...NODE, at('qbft'), '--port', taken]],
  ['http.port', (taken) => [...NODE, at('qbft'), '--port=0', '--http', '--http.port', taken]],
  ['ws.port', (taken) => [...NODE, at('qbft'), '--port=0', '--ws', '--ws.port', taken]],
  [
    'metrics.port',
    (taken) => [
      ...[...NODE, at('qbft'), '--port=0', '--metrics', '--metrics.addr', '127.0.0.1'],
      ...['--metrics.port', taken],
    ],
  ],
  [
    'raftport',
    (taken) => [
      ...[...NODE, at('raft'), '--port=0', '--raft', '--raftjoinexisting=2'],
      ...['--raft.addr', '127.0.0.1', '--raftport', taken],
    ],
  ],
  ['http-listen-port', (taken) => [...SIGNER, at('keys'), '--http-listen-port', taken]],
  [
    'metrics-port',
    (taken) => [
      ...[...SIGNER, at('keys'), '--http-listen-port=0', '--metrics-enabled'],
      ...['--metrics-port', taken],
    ],
  ],
  ['http.port', (taken) => ['explorer', '--node', 'http://x', '--http.port', taken]],
  ['http.port', (taken) => ['staking', '--datadir', at('staking'), '--http.port', taken]],
  ['http.port', (taken) => [...RAMP, at('ramp'), '--http.port', taken]],
  [
    'metrics.port',
    (taken) => ['staking', '--datadir', at('measured'), '--http.port=0', '--metrics.port', taken],
  ],
  ['metrics.port', (taken) => [...RAMP, at('ramp'), '--http.port=0', '--metrics.port', taken]],
];

it.each(seeds(SERVERS))('--%s that is taken', async (flag, argv) => {
  const { status, lines } = await commandRun(...argv(port));
  expect(status).toBe(1);
  expect(lines.join('\n')).toContain(
    `Fatal: cannot listen on 127.0.0.1:${port}: another process uses this port: stop that one, or choose another port (--${flag})`,
  );
});

it('a server of a manager is named by its address', async () => {
  const config = (q2t: string) => {
    writeFileSync(
      at('config.json'),
      JSON.stringify({
        serverConfigs: [
          { app: 'Q2T', serverAddress: q2t },
          { app: 'P2P', serverAddress: 'http://127.0.0.1:0' },
        ],
        keys: { keyData: [{ privateKeyPath: 'tm.key', publicKeyPath: 'tm.pub' }] },
      }),
    );
    return commandRun('ptm', '--configfile', at('config.json'));
  };
  expect((await config(`http://127.0.0.1:${port}`)).lines.join('\n')).toContain(
    `cannot listen on 127.0.0.1:${port}: another process uses this port`,
  );
  writeFileSync(at('plain'), 'kept');
  expect((await config(`unix:${at('plain')}`)).lines.join('\n')).toContain(
    'a file with this name exists and is not a socket: choose another',
  );
  expect((await config(`unix:${at('x'.repeat(120))}`)).lines.join('\n')).toContain(
    'the path of a unix socket has at most 107 bytes',
  );
});

it.each<[string, (host: string) => readonly string[]]>([
  ['p2p.addr', (host) => ['node', '--ipcdisable', '--datadir', at('qbft'), '--p2p.addr', host]],
  ['http.addr', (host) => [...NODE, at('qbft'), '--port=0', '--http', '--http.addr', host]],
  ['ws.addr', (host) => [...NODE, at('qbft'), '--port=0', '--ws', '--ws.addr', host]],
  [
    'metrics.addr',
    (host) => [...NODE, at('qbft'), '--port=0', '--metrics', '--metrics.addr', host],
  ],
  [
    'raft.addr',
    (host) => [
      ...[...NODE, at('raft'), '--port=0', '--raft', '--raftjoinexisting=2', '--raftport=0'],
      ...['--raft.addr', host],
    ],
  ],
  [
    'http-listen-host',
    (host) => [...SIGNER, at('keys'), '--http-listen-port=0', '--http-listen-host', host],
  ],
  ['http.addr', (host) => ['staking', '--datadir', at('staking'), '--http.addr', host]],
])('--%s that this machine has not', async (flag, argv) => {
  // An address for documentation (RFC 5737), and a name that does not exist (RFC 6761), whose
  // resolution takes time.
  for (const host of ['192.0.2.1', ...(flag === 'raft.addr' ? ['no-such-host.invalid'] : [])]) {
    const { status, lines } = await commandRun(...argv(host));
    expect(status).toBe(1);
    expect(lines.join('\n')).toContain(`cannot listen on ${host}:`);
    expect(lines.join('\n')).toContain(
      `this machine has no address ${host}: 127.0.0.1 listens for this machine only, 0.0.0.0 on all its addresses (--${flag})`,
    );
  }
});

it('a file at the path of the IPC socket stays', async () => {
  writeFileSync(at('precious'), 'kept');
  const { status, lines } = await commandRun(
    ...['node', '--p2p.addr', '127.0.0.1', '--datadir', at('qbft'), '--port=0'],
    ...['--ipcpath', at('precious')],
  );
  expect(status).toBe(1);
  expect(lines.join('\n')).toContain('a file with this name exists and is not a socket');
});
