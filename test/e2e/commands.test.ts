/** The commands of README.md, as a user types them. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isAlive } from '../../src/io/host/process-table.ts';
import { until } from '../support/conditions.ts';
import { headOf, MAIN, PROJECT, untilBlock } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { freePorts } from '../support/free-ports.ts';
import { rpcClient } from '../support/rpc-client.ts';

interface Done {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function quorate(...args: string[]): Promise<Done> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...args],
      { cwd: folder, timeout: 300_000 },
      (error, stdout, stderr) => {
        resolve({ status: error ? Number(error.code ?? -1) : 0, stdout, stderr });
      },
    );
  });
}

function pidsIn(file: string): number[] {
  const { nodes, signer, staking, ramp } = JSON.parse(readFileSync(file, 'utf8'));
  const pids = nodes.map((node: { pid: number; ptm: { pid: number } }) => [node.pid, node.ptm.pid]);
  return [...pids.flat(), signer.pid, staking.pid, ramp.pid];
}

describe('the command line', () => {
  it('prints its version and its commands', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    expect((await quorate('version')).stdout).toContain(version);
    const help = await quorate('--help');
    expect(help.status).toBe(0);
    for (const name of ['devnet', 'node', 'init', 'ptm']) expect(help.stdout).toContain(name);
    expect((await quorate('node', '--help')).stdout).toContain('--datadir');
  });

  it('suggests a similar flag or command, with status 2', async () => {
    const flag = await quorate('node', '--datadirr', 'x');
    expect(flag.status).toBe(2);
    expect(flag.stderr).toContain('datadir');
    const command = await quorate('devnett');
    expect(command.status).toBe(2);
    expect(command.stderr).toContain('Did you mean "devnet"?');
  });
});

describe('devnet in the background', () => {
  it('continues after the command, refuses a second, keeps its state, and stops', async () => {
    const args = ['devnet', '--folder', 'net', '--ports-from', String(await freePorts())];
    const file = join(folder, 'net', 'devnet.json');
    const up = await quorate(...args, '--wait');
    expect(up.stderr).toBe('');
    expect(up.stdout).toContain('Quorate devnet is up');
    const pids = pidsIn(file);
    expect(pids.every(isAlive)).toBe(true);
    const rpc = rpcClient(JSON.parse(readFileSync(file, 'utf8')).nodes[0].rpc);
    await untilBlock(rpc, 3);
    const head = await headOf(rpc);
    expect((await quorate(...args, '--wait')).stderr).toContain('a network is running');
    const elsewhere = await quorate(...args, '--folder', 'net2', '--wait');
    const taken = `port ${args.at(-1)} (of node1, for JSON-RPC) is in use, by process ${pids[0]}: `;
    expect(elsewhere.stderr).toContain(taken);
    expect(elsewhere.status).toBe(1);
    expect((await quorate('devnet', 'stop', '--folder', 'net')).stdout).toContain(
      'stopped 11 processes',
    );
    expect(pids.some(isAlive)).toBe(false);
    expect(existsSync(file)).toBe(false);
    expect((await quorate('devnet', 'stop', '--folder', 'net')).stdout).toContain(
      'no network is running',
    );
    expect((await quorate(...args, '--wait')).status).toBe(0);
    expect(await headOf(rpc)).toBeGreaterThanOrEqual(head);

    const data = join(folder, 'net', 'node1');
    const second = await quorate('node', '--datadir', data, '--port', '0', '--nodiscover');
    expect(second.status).toBe(1);
    expect(second.stderr).toMatch(/already|in use|lock/);
    await quorate('devnet', 'stop', '--folder', 'net');
  });

  it('init begins a chain, and a node serves it', async () => {
    const genesis = join(folder, 'net', 'genesis.json');
    expect((await quorate('init', '--datadir', 'data', genesis)).stdout).toMatch(/0x[0-9a-f]{64}/);
    const port = await freePorts();
    const served = ['--http', '--http.port', String(port), '--http.api', 'eth,net,admin'];
    const node = endsWithTest(
      spawn(
        process.execPath,
        [MAIN, 'node', '--datadir', 'data', '--port', '0', '--log.json', ...served],
        { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      ),
    );
    let logged = '';
    node.stderr!.on('data', (text) => {
      logged += text;
    });
    const ended = new Promise((resolve) => node.once('exit', resolve));
    const rpc = rpcClient(`http://127.0.0.1:${port}`);
    expect(await until('the node answers', () => rpc.call('eth_chainId'))).toBe('0x539');
    // A second node that only knows the first as its bootnode.
    const { enode } = (await rpc.call('admin_nodeInfo')) as { enode: string };
    expect((await quorate('init', '--datadir', 'second', genesis)).status).toBe(0);
    const second = endsWithTest(
      spawn(
        process.execPath,
        [MAIN, 'node', '--datadir', 'second', '--port', '0', '--bootnodes', enode],
        { cwd: folder, stdio: 'ignore' },
      ),
    );
    const secondEnded = new Promise((resolve) => second.once('exit', resolve));
    await until('they meet', async () => (await rpc.call('net_peerCount')) === '0x1');
    second.kill('SIGTERM');
    expect(await secondEnded).toBe(0);
    node.kill('SIGTERM');
    expect(await ended).toBe(0);
    const lines = logged
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ lvl: 'info', msg: 'Quorate node is up', chain: '1337' }),
    );
  });

  it('a signal while a node starts ends it', async () => {
    const args = [MAIN, 'node', '--datadir', 'data', '--nodiscover', '--port', '0'];
    const node = endsWithTest(
      spawn(process.execPath, args, {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    const ended = new Promise((resolve) => node.once('exit', resolve));
    // At the first line that it logs.
    node.stderr.once('data', () => node.kill('SIGTERM'));
    expect(await ended).toBe(0);
  });
});

describe('npm start', () => {
  it('serves on the documented ports, lists them in devnet.json, and stops all its processes', async () => {
    const devnet = endsWithTest(
      spawn('npm', ['start', '--', '--folder', join(folder, 'home'), '--fresh'], {
        cwd: PROJECT,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    let printed = '';
    devnet.stdout.on('data', (data) => {
      printed += data;
    });
    const file = join(folder, 'home', 'devnet.json');
    await until('the table is printed', () => printed.includes('Ctrl-C stops the network'));
    const { chainId, nodes, explorer, signer, staking, ramp, accounts, mnemonic, ...rest } =
      JSON.parse(readFileSync(file, 'utf8'));
    expect(chainId).toBe(1337);
    expect(rest).toEqual({});
    expect(explorer).toBe('http://127.0.0.1:22000/explorer');
    expect(mnemonic.phrase).toMatch(/^(test ){11}junk$/);
    const rpc = 'http://127.0.0.1:8545';
    const metrics = (port: number, path = '/metrics') => `http://127.0.0.1:${port}${path}`;
    expect(signer).toEqual({
      ...{ rpc, ws: 'ws://127.0.0.1:8545', metrics: metrics(22_104) },
      pid: expect.any(Number),
    });
    expect(ramp).toEqual({
      url: 'http://127.0.0.1:8560',
      partnerAccountId: 'https://aggregator.example/',
      token: expect.stringMatching(/^ey/),
      operatorToken: expect.stringMatching(/^[\w-]{43}$/),
      metrics: metrics(22_106),
      pid: expect.any(Number),
    });
    const api = 'http://127.0.0.1:8550';
    expect(staking).toEqual({
      authUrl: api,
      apiUrl: api,
      audience: `${api}/`,
      client: { clientId: 'devnet', clientSecret: expect.stringMatching(/^[\w-]{43}$/) },
      metrics: metrics(22_105),
      pid: expect.any(Number),
    });
    const { scrape_configs: jobs } = parse(
      readFileSync(join(folder, 'home', 'prometheus.yml'), 'utf8'),
    );
    for (const { metrics_path: path, static_configs: targets } of jobs) {
      for (const { targets: hosts, labels } of targets) {
        const scraped = await fetch(`http://${hosts[0]}${path}`);
        expect(`${labels.instance} ${scraped.status}`).toBe(`${labels.instance} 200`);
        expect(printed).toContain(`http://${hosts[0]}${path}`);
      }
    }
    expect(printed).toContain(staking.client.clientSecret);
    expect(printed).toContain(ramp.operatorToken);
    expect(await rpcClient(rpc).call('eth_accounts')).toHaveLength(accounts.length);
    expect(nodes).toEqual(
      [0, 1, 2, 3].map((index) => ({
        name: `node${index + 1}`,
        rpc: `http://127.0.0.1:${22_000 + index}`,
        ws: `ws://127.0.0.1:${22_000 + index}`,
        enode: expect.stringMatching(
          new RegExp(`^enode://[0-9a-f]{128}@127.0.0.1:${21_000 + index}`),
        ),
        address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        pid: expect.any(Number),
        accounts: [expect.any(Object), expect.any(Object)],
        metrics: metrics(22_100 + index, '/debug/metrics/prometheus'),
        ptm: {
          publicKey: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
          thirdParty: `http://127.0.0.1:${9_081 + index}`,
          metrics: metrics(9_081 + index),
          pid: expect.any(Number),
        },
      })),
    );
    const held = [...accounts, ...nodes[0].accounts];
    for (const { address, privateKey } of held) {
      expect(address).toMatch(/^0x[0-9a-f]{40}$/);
      expect(privateKey).toMatch(/^0x[0-9a-f]{64}$/);
    }
    expect(await rpcClient(nodes[0].rpc).call<string[]>('eth_accounts')).toEqual(
      held.map(({ address }) => address),
    );
    const pids = pidsIn(file);
    expect(new Set(pids).size).toBe(11);
    process.kill(-devnet.pid!, 'SIGINT');
    await until('all processes have ended', () => !pids.some(isAlive));
  });

  it('names the log of a process that dies, and ends', async () => {
    const args = ['devnet', '--folder', 'dies', '--ports-from', String(await freePorts())];
    const devnet = endsWithTest(
      spawn(process.execPath, [MAIN, ...args], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    const ended = new Promise((resolve) => devnet.once('exit', resolve));
    let errors = '';
    devnet.stderr.on('data', (data) => {
      errors += data;
    });
    const file = join(folder, 'dies', 'devnet.json');
    await until('it is up', () => existsSync(file));
    const pids = pidsIn(file);
    process.kill(pids[2]!, 'SIGKILL');
    expect(await ended).toBe(1);
    const log = join(folder, 'dies', 'node2.log');
    const last = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-5);
    const shown = last.map((line) => `\n    ${line}`).join('');
    expect(errors).toContain(`node2 ended with signal SIGKILL: see ${log}${shown}\n`);
    expect(pids.some(isAlive)).toBe(false);
  });
});
