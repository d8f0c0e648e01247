/**
 * A data folder of GoQuorum 24.4.1, written by the only member of a Raft cluster with two private
 * states: migrated with the command, started, and asked the same as GoQuorum was.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { freePorts } from '../support/free-ports.ts';
import { NodeProcess } from '../support/node-process.ts';
import { type TestPtm, testKey, testPtm } from '../support/ptm.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { scratchFolder } from '../support/scratch.ts';
import { OWN_VECTORS, plainOrPacked, readJson } from '../vectors/folders.ts';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');
const RECORDINGS = join(OWN_VECTORS, 'goquorum/raft-mps');
const FROM = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73';
const TENANTS = ['PS1', 'PS2'] as const;
const run = promisify(execFile);

type Json = Record<string, unknown>;

interface Recorded {
  readonly head: number;
  readonly hash: string;
  readonly receipts: Readonly<Record<string, readonly { readonly own: Json }[]>>;
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { code: string; slot0: string; metadata: Json | null }>>>
  >;
}

const root = scratchFolder('quorate-migration-');

describe('a Raft member with two private states', () => {
  const recorded: Recorded = readJson(plainOrPacked(join(RECORDINGS, 'plain.json')));
  const folder = join(root, 'plain');
  const target = join(folder, 'target');
  let ptm: TestPtm;
  let node: NodeProcess;
  let output: string;

  beforeAll(async () => {
    mkdirSync(folder);
    execFileSync('tar', ['xzf', join(RECORDINGS, 'plain.tar.gz'), '-C', folder]);
    const source = join(folder, 'datadir');
    const migrate = [MAIN, 'migrate', 'datadir', source, '--datadir', target];
    output = (await run(process.execPath, migrate)).stdout;
    const keys = await Promise.all([1, 2].map(testKey));
    ptm = await testPtm(1, [], {
      residentGroups: keys.map(({ publicKey }, index) => ({
        ...{ name: TENANTS[index]!, description: '', members: [publicKey] },
      })),
      keys: keys.map((key) => ({ kind: 'inline', ...key, password: { line: 0 } })),
    });
    const password = join(folder, 'password');
    writeFileSync(password, '\n');
    const port = await freePorts();
    node = new NodeProcess({
      ...{ number: 1, folder, rpcPort: port, file: process.execPath },
      args: [
        ...[MAIN, 'node', '--datadir', target, '--nodiscover', '--port', String(port + 1)],
        ...['--raft', '--raftport', String(port + 2), '--ptm.url', ptm.q2tUrl!],
        ...['--http', '--http.port', String(port), '--http.api', 'eth,debug,raft,quorum'],
        ...['--unlock', FROM, '--password', password, '--allow-insecure-unlock'],
      ],
    });
    await node.start();
  });

  afterAll(async () => {
    await node?.stop();
    await ptm?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reports its work', () => {
    expect(output).toContain(`Head: ${recorded.head} ${recorded.hash}`);
    expect(output).toMatch(/private states, by their roots +3\n/);
    expect(output).toMatch(/Raft member: term \d+, \d+ entries, committed up to \d+/);
  });

  it('answers receipts, contracts and privacy metadata of each private state as GoQuorum did', async () => {
    for (const psi of TENANTS) {
      const rpc = rpcClient(`${node.url}/?PSI=${psi}`);
      for (const { own } of recorded.receipts[psi]!) {
        const found = await rpc.call('eth_getTransactionReceipt', own.transactionHash);
        expect(found).toMatchObject(own);
      }
      for (const [address, { code, slot0, metadata }] of Object.entries(recorded.contracts[psi]!)) {
        expect(await rpc.call('eth_getCode', address, 'latest')).toBe(code);
        expect(await rpc.call('eth_getStorageAt', address, '0x0', 'latest')).toBe(slot0);
        const found = rpc.call('eth_getContractPrivacyMetadata', address);
        expect(await found.catch(() => null)).toEqual(metadata);
      }
    }
  });

  it('reports that older states were not migrated', async () => {
    const rpc = rpcClient(`${node.url}/?PSI=PS1`);
    await expect(rpc.call('eth_getBalance', FROM, '0x1')).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^state of block 1 was not migrated/),
    });
  });

  it('continues as the same member', async () => {
    const rpc = rpcClient(`${node.url}/?PSI=PS1`);
    await until('it mints', async () => (await rpc.call('raft_role')) === 'minter');
    const to = `0x${'77'.repeat(20)}`;
    const value = { from: FROM, to, value: '0x1', gas: '0x5208', gasPrice: '0x0' };
    const hash = await rpc.call('eth_sendTransaction', value);
    type Found = { readonly blockNumber: string } | null;
    const found = await until(
      'it is mined',
      async () => (await rpc.call<Found>('eth_getTransactionReceipt', hash)) ?? undefined,
    );
    expect(Number(found.blockNumber)).toBe(recorded.head + 1);
  });
});
