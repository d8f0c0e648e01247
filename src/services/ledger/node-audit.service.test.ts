/** The audit log of a node: its content, and what happens when it cannot be written. */
import { appendFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RpcNode, rpcNode } from '../../../test/support/rpc-node.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { OWN_VECTORS } from '../../../test/vectors/folders.ts';
import { genesisOf } from '../../../test/vectors/goquorum-blocks.ts';
import { AccessToken } from '../../core/access/access-token.ts';
import { verifyAuditLogs } from '../../io/audit/audit-verify.ts';
import type { Access } from '../../io/rpc/access.ts';
import { NodeAudit } from './node-audit.ts';

const folder = scratchFolder('quorate-node-audit-');
let count = 0;
let path: string;
let nowMs = 1_700_000_000_000;
let audit: NodeAudit;
let node: RpcNode;

beforeEach(async () => {
  path = join(folder, `audit-${count++}.jsonl`);
  audit = await NodeAudit.open({ path, calendar: { nowMs: () => nowMs }, log: () => {} });
  const genesis = genesisOf(join(OWN_VECTORS, 'goquorum/public-chain'));
  node = await rpcNode({ genesis, secretKey: new Uint8Array(32).fill(7), audit });
});
afterEach(async () => {
  await node.close();
  await audit.close();
});

const lines = (file = path) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const told = () => lines().filter(({ event }) => event !== 'start');

async function ask(method: string, params: readonly unknown[], access: Access) {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const caller = { transport: 'http', psi: undefined, access, remote: '10.0.0.7' } as const;
  return JSON.parse(await node.dispatcher.handle(request, caller));
}

it('who called what, and how it ended; no parameter, no result', async () => {
  const account = await node.call('personal_newAccount', 'hunter2');
  await expect(node.call('personal_unlockAccount', account, 'hunter3')).rejects.toThrow();
  await expect(node.call('miner_setGasPrice', 'hunter4')).rejects.toThrow();
  const token = new AccessToken(Number.MAX_SAFE_INTEGER, ['rpc://admin_*'], 'an operator');
  expect(await ask('admin_peers', [], { kind: 'token', token })).toMatchObject({ result: [] });
  expect(await ask('personal_listAccounts', [], { kind: 'token', token })).toMatchObject({
    error: { code: -32_001 },
  });
  await node.call('eth_blockNumber');
  await expect(node.call('personal_nothing')).rejects.toThrow();
  const time = new Date(nowMs).toISOString();
  const ipc = { event: 'call', caller: 'open', transport: 'ipc' };
  const operator = { caller: 'an operator', transport: 'http', from: '10.0.0.7' };
  expect(told()).toMatchObject([
    { time, ...ipc, method: 'personal_newAccount' },
    { event: 'result', call: 2, method: 'personal_newAccount', outcome: 'done' },
    { ...ipc, method: 'personal_unlockAccount' },
    { event: 'result', call: 4, outcome: 'error' },
    { ...ipc, method: 'miner_setGasPrice' },
    { event: 'result', call: 6, outcome: 'error -32602' },
    { event: 'call', ...operator, method: 'admin_peers' },
    { event: 'result', call: 8, outcome: 'done' },
    { event: 'denied', ...operator, method: 'personal_listAccounts' },
  ]);
  expect(readFileSync(path, 'utf8')).not.toMatch(/hunter|0x/);
  expect(await verifyAuditLogs([path])).toMatchObject({ lines: 10, tornBytes: 0 });
});

it('votes are in it, by the methods of either consensus', () => {
  const names = ['istanbul_propose', 'istanbul_discard', 'raft_addPeer', 'raft_removePeer'];
  const others = ['ledgerPermission_addOrg', 'quorumExtension_cancelExtension', 'admin_addPeer'];
  for (const name of [...names, ...others]) expect(audit.covers(name), name).toBe(true);
  for (const name of ['istanbul_status', 'raft_cluster', 'eth_sendTransaction', 'x'])
    expect(audit.covers(name), name).toBe(false);
});

it('callers without any rights do not fill the disk', async () => {
  const denied: Access = { kind: 'refused', why: 'missing access token' };
  for (let i = 0; i < 25; i++) await ask('admin_peers', [], denied);
  expect(told()).toHaveLength(10);
  nowMs += 1_000;
  await ask('admin_peers', [], denied);
  expect(told().at(-1)).toMatchObject({ event: 'denied', caller: 'refused', omitted: 15 });
});

it('what cannot be recorded does not happen', async () => {
  appendFileSync(path, 'somebody else\n');
  await expect(node.call('personal_newAccount', 'a password')).rejects.toThrow(
    /the audit log .* cannot be written: it was changed from outside/,
  );
  await expect(node.call('personal_newAccount', 'a password')).rejects.toThrow(
    /the audit log .* was changed or damaged/,
  );
  expect(node.accounts.addresses()).toEqual([]);
  expect(await node.call('eth_blockNumber')).toBe('0x0');
});

it('continues in a new file when the old one was moved away', async () => {
  await node.call('admin_peers');
  renameSync(path, `${path}.1`);
  await node.call('admin_peers');
  expect(lines().map(({ event }) => event)).toEqual(['reopen', 'call', 'result']);
  expect(await verifyAuditLogs([`${path}.1`, path])).toMatchObject({ lines: 6 });
});
