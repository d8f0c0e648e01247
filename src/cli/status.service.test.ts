/** `quorate status` with servers that answer as nodes do, and with others. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandRun } from '../../test/support/command-run.ts';
import { scratchFolder } from '../../test/support/scratch.ts';

const root = scratchFolder('quorate-status-');
let server: Server;
let url: string;
let isReady = true;

const ANSWERS: Readonly<Record<string, (params: any[]) => unknown>> = {
  eth_blockNumber: () => '0x14',
  eth_getBlockByNumber: ([number]) => ({
    ...{ hash: `${number}aa`, timestamp: `0x${(Number(number) * 2).toString(16)}` },
    transactions: ['0x1', '0x2', '0x3'],
  }),
  net_peerCount: () => '0x3',
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url === '/ready') {
      const reasons = isReady ? [] : [{ reason: 'behind', text: '17 blocks behind the network' }];
      response.writeHead(isReady ? 200 : 503);
      response.end(JSON.stringify({ ready: isReady, privateBehind: 2, reasons }));
      return;
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method, params } = JSON.parse(text);
    const known = ANSWERS[method];
    const answer = known ? { result: known(params) } : { error: { message: 'not available' } };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('says how a node is, as JSON for scripts', async () => {
  const { status, lines } = await commandRun('status', '--node', url, '--json');
  expect(status).toBe(0);
  const found = JSON.parse(lines.join('\n'));
  expect(found).toMatchObject({
    isWell: true,
    nodes: [
      {
        ...{ url, isUp: true, head: 20, hash: '0x14aa', peers: 3, isReady: true, privateBehind: 2 },
        ...{ transactionsPerSecond: 1.5, secondsPerBlock: 2, reasons: [] },
      },
    ],
  });
  expect(found.nodes[0]).not.toHaveProperty('pending');
});

it('fails when one is not ready or does not answer, and says why', async () => {
  isReady = false;
  const away = 'http://127.0.0.1:1';
  const { status, lines } = await commandRun('status', '--node', `${url},${away}`);
  isReady = true;
  expect(status).toBe(1);
  const text = lines.join('\n');
  expect(text).toContain('not ready');
  expect(text).toContain('17 blocks behind the network');
  expect(text).toMatch(/127\.0\.0\.1:1 +down/);
  expect(text).not.toContain('\u001b');
});

it('names what to do where no network runs', async () => {
  const { status, lines } = await commandRun('status', '--folder', root);
  expect(status).toBe(1);
  expect(lines.join('\n')).toContain('start one with quorate devnet');
  const bad = await commandRun('status', '--node', 'here');
  expect([bad.status, bad.lines.join('\n')]).toEqual([2, expect.stringContaining('--node: here')]);
});
