/**
 * What `quorate devnet` prints in a terminal: it fits the width, is true, and its commands work as
 * printed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { getAddress } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { freePorts } from '../support/free-ports.ts';
import { rpcClient } from '../support/rpc-client.ts';

const run = promisify(execFile);
const CTRL_C = '\u0003';

let folder: string;
let ports: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-text-'));
  ports = await freePorts();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// With CI set, Node disables colours even in a terminal.
const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...rest } = process.env;
const COLOURED = { ...rest, TERM: 'xterm-256color' };

/**
 * In a terminal with this number of columns (created by script(1) of util-linux), until `use` has
 * ended.
 */
async function inTerminal(columns: number, use: (text: string) => Promise<void>): Promise<void> {
  const options = `--folder net --ports-from ${ports}`;
  const line = `stty cols ${columns}; exec '${process.execPath}' '${MAIN}' devnet ${options}`;
  const terminal = endsWithTest(
    spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder, env: COLOURED }),
  );
  let printed = '';
  terminal.stdout.on('data', (data) => {
    printed += data;
  });
  const ended = once(terminal, 'exit');
  try {
    await until('it is up', () => printed.includes('Ctrl-C stops the network'));
    await use(printed.replaceAll('\r', ''));
  } finally {
    await stop(terminal, ended);
  }
}

async function stop(terminal: ChildProcess, ended: Promise<unknown>): Promise<void> {
  terminal.stdin?.write(CTRL_C);
  expect(await ended).toEqual([0, null]);
}

const linesOf = (text: string) => stripVTControlCharacters(text).split('\n');

/** The commands between "Try" and "End". */
function trialsIn(text: string): string[] {
  const lines = linesOf(text);
  const block = lines.slice(lines.indexOf('  Try') + 1, lines.indexOf('  End'));
  return block
    .join('\n')
    .split(/^ {4}# .*\n/m)
    .filter((each) => each.trim() !== '');
}

it.for([80, 120])('fits %i columns', async (columns, { skip }) => {
  if (process.platform !== 'linux') skip('script(1) takes other options here');
  await inTerminal(columns, async (text) => {
    expect(text).toContain('\u001b[1m');
    expect(Math.max(...linesOf(text).map((line) => line.length))).toBeLessThanOrEqual(columns);
    const answers = [];
    for (const command of trialsIn(text)) answers.push(JSON.parse(await sh(command)));
    expect(answers).toEqual([
      expect.objectContaining({ result: expect.stringMatching(/^0x[0-9a-f]+$/) }),
      expect.objectContaining({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) }),
      expect.objectContaining({ result: expect.stringMatching(/^0x[0-9a-f]{64}$/) }),
      expect.objectContaining({ access_token: expect.any(String) }),
    ]);
    await expectAccounts(text);
  });
});

async function sh(command: string): Promise<string> {
  return (await run('sh', ['-c', command])).stdout;
}

/** Every node has unlocked the accounts that the text says. */
async function expectAccounts(text: string): Promise<void> {
  const rows = [...text.matchAll(/(node\d)? +(0x[0-9A-Fa-f]{40}) {2}(with|without) funds/g)];
  expect(rows).toHaveLength(8);
  for (const [at, [, , address, funds]] of rows.entries()) {
    const rpc = rpcClient(`http://127.0.0.1:${ports + Math.floor(at / 2)}`);
    const held = (await rpc.call<string[]>('eth_accounts')).map((each) => getAddress(each));
    expect(held).toContain(address);
    const balance = BigInt(await rpc.call('eth_getBalance', address, 'latest'));
    expect(balance > 0n).toBe(funds === 'with');
  }
}

it('is plain text in a file or a pipe', async () => {
  const args = ['devnet', '--wait', '--folder', 'net', '--ports-from', String(ports)];
  const { stdout } = await run(process.execPath, [MAIN, ...args], { cwd: folder });
  try {
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('    npx quorate devnet stop --folder net stops the network');
  } finally {
    await run(process.execPath, [MAIN, 'devnet', 'stop', '--folder', 'net'], { cwd: folder });
  }
});

it.each([
  ['has colours', {}, true],
  ['has none where NO_COLOR is set', { NO_COLOR: '1' }, false],
])('a command in a terminal %s', async (_, extra, isColoured) => {
  const line = `'${process.execPath}' '${MAIN}' status --node http://127.0.0.1:1`;
  const command = ['-qec', line, '/dev/null'];
  const env = { ...COLOURED, ...extra };
  // Nobody listens there, hence its exit status.
  const { stdout } = await run('script', command, { env }).catch((error) => error);
  expect(stripVTControlCharacters(stdout)).toContain('127.0.0.1:1  down');
  expect(stripVTControlCharacters(stdout) !== stdout).toBe(isColoured);
});
