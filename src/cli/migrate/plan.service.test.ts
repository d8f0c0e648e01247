import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';

const VALIDATORS = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`);
const FORKS = Object.fromEntries(
  ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople'].map((fork) => [
    `${fork}Block`,
    0,
  ]),
);
const CHAIN = { chainId: 1337, ...FORKS, isQuorum: true };
const QBFT = { ...CHAIN, qbft: { epochlength: 100 } };
const IBFT = { ...CHAIN, istanbul: { epoch: 100, policy: 0, ceil2Nby3Block: 0 } };

interface Shape {
  readonly config?: object;
  readonly protocol?: string;
  readonly validators?: readonly string[];
  readonly plugins?: object;
  readonly modules?: object;
  readonly qnodeInfo?: object;
  readonly genesis?: string;
  readonly head?: number;
}

/** What GoQuorum 24.4.1 answers, in its own shape. */
function answers(number: number, shape: Shape): Readonly<Record<string, unknown>> {
  const { config = QBFT, protocol = 'eth', validators = VALIDATORS, head = 1_000 } = shape;
  const turns = Object.fromEntries(validators.map((address) => [address, 64 / validators.length]));
  const isIstanbul = !('clique' in config);
  const { qnodeInfo = null } = shape;
  return {
    web3_clientVersion: 'Geth/v1.10.3-stable(quorum-v24.4.1)/linux-amd64/go1.22.12',
    eth_blockNumber: `0x${head.toString(16)}`,
    eth_getBlockByNumber: { hash: shape.genesis ?? '0x11', transactions: [] },
    eth_syncing: false,
    net_peerCount: '0x3',
    admin_nodeInfo: {
      enode: `enode://${String(number).repeat(128)}@127.0.0.1:30303?discport=0`,
      protocols: { [protocol]: { network: 1337, difficulty: 1, config }, snap: {} },
      plugins: shape.plugins ?? {},
    },
    admin_qnodeInfo: qnodeInfo,
    admin_datadir: `/data/${number}`,
    rpc_modules: { admin: '1.0', eth: '1.0', istanbul: '1.0', ...shape.modules },
    ...(isIstanbul
      ? {
          istanbul_nodeAddress: VALIDATORS[number - 1],
          istanbul_getValidators: validators,
          istanbul_status: { numBlocks: 64, sealerActivity: turns },
        }
      : {}),
  };
}

const shapes: Shape[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const number = Number(request.url!.slice(1));
  const known = answers(number, shapes[number - 1]!);
  const calls = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string }[];
  const all = calls.map(({ id, method }) =>
    method in known
      ? { jsonrpc: '2.0', id, result: known[method] }
      : {
          jsonrpc: '2.0',
          id,
          error: { code: -32601, message: `the method ${method} does not exist` },
        },
  );
  response.setHeader('content-type', 'application/json').end(JSON.stringify(all));
});

beforeAll(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function plan(...nodes: readonly Shape[]) {
  shapes.splice(0, shapes.length, ...nodes);
  const { port } = server.address() as AddressInfo;
  const urls = nodes.map((_, at) => `http://127.0.0.1:${port}/${at + 1}`);
  const { status, lines } = await commandRun('migrate', 'plan', ...urls);
  return { status, text: lines.join('\n') };
}

const four = (shape: Shape = {}): Shape[] => [shape, shape, shape, shape];
const oneOf = (shape: Shape): Shape[] => [...four().slice(1), shape];

it('plans four validators that nothing stops', async () => {
  const { status, text } = await plan(...four());
  expect(status, text).toBe(0);
  expect(text).toContain('Engine: qbft. Head: 1000.');
  expect(text).not.toMatch(/STOPS IT|Look at/);
  expect(
    text.match(/3 vote while it is down, 3 must$|^ {2}3 vote while it is down, 3 must;/gm),
  ).toHaveLength(4);
  expect(text).toContain('Step 4 of 4');
});

it.each<[string, readonly Shape[], RegExp]>([
  [
    'IBFT with QBFT ahead',
    four({ config: { ...IBFT, transitions: [{ block: 2_000, algorithm: 'qbft' }] } }),
    /change from IBFT to QBFT \(transition at block 2000, head 1000\): wait until it is past/,
  ],
  [
    'a plugin with methods',
    oneOf({ modules: { 'plugin@account': '1.0.0' } }),
    /\/4 has plugins \(account\): GoQuorum's are Go programs/,
  ],
  [
    'a plugin without methods',
    oneOf({ plugins: { security: { name: 'security-plugin', version: '1.0.0' } } }),
    /\/4 has plugins \(security\): .*docs\/access-control\.md/,
  ],
  [
    'Clique',
    four({ config: { ...CHAIN, clique: { period: 1, epoch: 30_000 } } }),
    /\/1 runs clique, which Quorate does not have: start a new chain with QBFT/,
  ],
  [
    'a client of qlight',
    oneOf({ protocol: 'qlight' }),
    /\/4 uses qlight, which Quorate does not have: make it a full node/,
  ],
  [
    'a server of qlight',
    oneOf({ qnodeInfo: { protocols: { qlight: {} } } }),
    /\/4 serves clients of qlight, .*start it without --qlight\.server/,
  ],
  [
    'too few validators to lose one',
    [1, 2].map(() => ({ validators: VALIDATORS.slice(0, 2) })),
    /2 of 2 validators vote and 2 must: .*Vote in more validators first \(4 can lose one\)/,
  ],
  ['a node of another chain', oneOf({ genesis: '0x22' }), /\/4 is on another chain than \S+\/1/],
  ['a node that is behind', oneOf({ head: 10 }), /\/4 is at block 10 of 1000: wait/],
])('is stopped by %s', async (_what, nodes, why) => {
  const { status, text } = await plan(...nodes);
  expect(status, text).toBe(2);
  const stops = text.split('\n').filter((line) => line.startsWith('STOPS IT: '));
  expect(stops.join('\n')).toMatch(why);
  expect(text).toContain('Remove the obstacles, and run this again.');
});

it('is stopped by a node that does not answer', async () => {
  const { status, lines } = await commandRun('migrate', 'plan', 'http://127.0.0.1:1');
  expect([status, lines[1]]).toEqual([
    2,
    expect.stringMatching(/^STOPS IT: http:\/\/127\.0\.0\.1:1: /),
  ]);
});
