/**
 * A devnet that cannot start reports which port of which process is in use, and by whom; no process
 * of it is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from '../../src/io/host/process-table.ts';
import { isFree } from '../../src/services/devnet/free-ports.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { freePorts } from '../support/free-ports.ts';

const PORTS = 23;
const SIGNER_AT = 20;
const [THIRD_PARTY_AT, PEERS_AT] = [8, 4];

let folder: string;
let ports: number;
let others: Server[];
let devnet: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-taken-'));
  ports = await freePorts();
  others = [];
});
afterEach(async () => {
  if (devnet && isAlive(devnet.pid!)) {
    const ended = once(devnet, 'exit');
    devnet.kill();
    await ended;
  }
  for (const other of others) other.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Listens as another program would: this one. */
async function take(at: number, listener?: RequestListener): Promise<number> {
  const server = createServer(listener);
  others.push(server);
  await new Promise<void>((resolve) => server.listen(ports + at, '127.0.0.1', resolve));
  return ports + at;
}

function start() {
  const args = ['devnet', '--folder', join(folder, 'net'), '--ports-from', String(ports)];
  const child = endsWithTest(
    spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  devnet = child;
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      printed += data;
    });
  return { ended: once(child, 'exit'), printed: () => printed };
}

async function expectNothingLeft(): Promise<void> {
  const taken = others.map((other) => (other.address() as { port: number }).port);
  for (let port = ports; port < ports + PORTS; port++)
    if (!taken.includes(port)) expect([port, await isFree(port)]).toEqual([port, true]);
}

const logOf = (name: string) => readFileSync(join(folder, 'net', `${name}.log`), 'utf8');
const holder = `by process ${process.pid}: `;

it('each port that is in use before it starts', async () => {
  const [third, peers] = [await take(THIRD_PARTY_AT), await take(PEERS_AT)];
  const { ended, printed } = start();
  expect(await ended).toEqual([1, null]);
  expect(printed()).toContain(`port ${third} (of ptm1, for third parties) is in use, ${holder}`);
  expect(printed()).toContain(`port ${peers} (of node1, for peers) is in use, ${holder}`);
  expect(printed()).toContain('--ports-from');
  await expectNothingLeft();
});

it.each<[string, RequestListener | undefined]>([
  ['says nothing', undefined],
  ['answers as if it were the one that is awaited', (_, response) => response.end('I am up')],
])('a port that a program takes during the start, which %s', async (_, listener) => {
  const { ended, printed } = start();
  await until('the ports were checked', () => printed().includes('managers are up'));
  const port = await take(SIGNER_AT, listener);
  expect(await ended).toEqual([1, null]);
  expect(printed()).toMatch(/^Fatal: signer ended with status 1: see .*signer\.log$/m);
  expect(printed()).toContain(`port ${port} (of signer, for JSON-RPC) is in use, ${holder}`);
  const last = logOf('signer').trimEnd().split('\n').slice(-5);
  expect(last.at(-1)).toContain(`cannot listen on 127.0.0.1:${port}`);
  for (const line of last) expect(printed()).toContain(`\n    ${line}`);
  await expectNothingLeft();
});
