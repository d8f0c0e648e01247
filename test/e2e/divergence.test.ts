/**
 * The manager of a party did not have a payload when its node executed the block. Once the payload
 * is back, the node detects the divergence, reports it in every place where operators look, and is
 * repaired. And a node whose manager is down reports that it is not ready.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import {
  MAIN,
  startTestDevnet,
  type TestDevnet,
  untilBlock,
  untilMined,
} from '../support/devnet.ts';
import { deployPrivate, readStore, setPrivate } from '../support/private-transactions.ts';
import { word } from '../support/store-contract.ts';

const ONE = 0;
const TWO = 1;
const STRANGER = 2;
/** The second node queries its manager only from time to time. */
const PATIENCE_MS = 60_000;

interface Ready {
  readonly ready: boolean;
  readonly reasons: readonly { readonly reason: string; readonly text: string }[];
}

let net: TestDevnet;
let contract: string;
beforeAll(async () => {
  net = await startTestDevnet({ inProcesses: true });
  contract = await deployPrivate(net, [TWO]);
});
afterAll(() => net?.close());

async function readyOf(at: number): Promise<Ready & { readonly status: number }> {
  const page = await fetch(`${net.rpc[at]!.url}/ready`);
  return { ...((await page.json()) as Ready), status: page.status };
}

const reasonsOf = async (at: number) => (await readyOf(at)).reasons.map(({ reason }) => reason);
const logOf = (at: number) => readFileSync(join(net.folder, `node${at + 1}.log`), 'utf8');
const said = (at: number, words: string) => logOf(at).split(words).length - 1;

/** The Q2T address of a manager, according to its configuration. */
function managerOf(at: number): string {
  const file = readFileSync(join(net.folder, `ptm${at + 1}/config.json`), 'utf8');
  const { serverConfigs } = JSON.parse(file) as {
    serverConfigs: { app: string; serverAddress: string }[];
  };
  return serverConfigs.find(({ app }) => app === 'Q2T')!.serverAddress;
}

async function payloadOf(hash: string): Promise<string> {
  const { input } = await net.rpc[ONE]!.call<{ input: string }>('eth_getTransactionByHash', hash);
  return Buffer.from(input.slice(2), 'hex').toString('base64');
}

function db(action: string) {
  const node = join(net.folder, 'node2');
  const args = [MAIN, 'db', action, '--datadir', node, '--ptm.url', managerOf(TWO)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const admin = (at: number, method: string, ...params: unknown[]) =>
  net.rpc[at]!.call<Record<string, any>>(`admin_${method}`, ...params);

describe('a payload that was missing when its block was executed', () => {
  let hash: string;
  const digestsOf = async (at: number) => {
    const { digests } = await admin(at, 'privateTransaction', hash);
    const { states } = await admin(at, 'privateContract', contract);
    return JSON.stringify([digests, states.map(({ block: _, parties: __, ...rest }: any) => rest)]);
  };
  let payload: string;
  let block: number;

  it('leaves a party with a different private state, which is not yet detected', async () => {
    hash = await setPrivate(net, contract, 42, [TWO]);
    block = Number((await untilMined(net.rpc[ONE]!, hash)).blockNumber);
    payload = await payloadOf(hash);
    await until('node 2 reads 42', async () => (await readStore(net, TWO, contract)) === word(42));
    // On a busy machine, threads are delayed while it starts.
    await until('node 2 is ready', async () => (await readyOf(TWO)).ready);
    expect(await readyOf(TWO)).toMatchObject({ status: 200, reasons: [] });
    await net.devnet.process('node2').stop();
    const url = `${managerOf(TWO)}/transaction/${encodeURIComponent(payload)}`;
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(204);
    rmSync(join(net.folder, 'node2/quorate'), { recursive: true });
    await net.devnet.restart('node2');
    await untilBlock(net.rpc[TWO]!, block);
    await until('node 2 reads 0', async () => (await readStore(net, TWO, contract)) === word(0));
    expect(await readStore(net, ONE, contract)).toBe(word(42));
    const { standing } = await admin(TWO, 'privateTransaction', hash);
    expect(standing).toBe('notHeld');
  });

  it('is detected when the manager has it again: log, metrics, /ready and admin_privateState', async () => {
    const compared = await fetch(`${managerOf(TWO)}/comparison/run`, {
      method: 'POST',
      body: '{}',
    });
    expect(compared.status).toBe(200);
    await until(
      'node 2 is not ready',
      async () => (await reasonsOf(TWO)).includes('diverged'),
      PATIENCE_MS,
    );
    const { status, ready, reasons } = await readyOf(TWO);
    expect([status, ready]).toEqual([503, false]);
    const diverged = reasons.find(({ reason }) => reason === 'diverged');
    expect(diverged!.text).toContain(`block ${block}`);
    const state = await admin(TWO, 'privateState');
    expect(state).toMatchObject({
      diverged: true,
      manager: 'up',
      faults: [{ kind: 'missed', block, transaction: hash, contract, payload }],
    });
    expect((await admin(TWO, 'privateTransaction', hash)).standing).toBe('missed');
    expect(said(TWO, 'Private state has diverged')).toBe(1);
    await untilBlock(net.rpc[TWO]!, Number(await net.rpc[TWO]!.call('eth_blockNumber')) + 3);
    expect(said(TWO, 'Private state has diverged')).toBe(1);
    for (const at of [ONE, STRANGER]) {
      await until('others are ready', async () => (await readyOf(at)).ready);
    }
    expect((await admin(ONE, 'privateTransaction', hash)).standing).toBe('party');
    expect(await digestsOf(TWO)).not.toBe(await digestsOf(ONE));
    expect((await admin(STRANGER, 'privateTransaction', hash)).standing).toBe('notHeld');
  });

  it('is reported by private-check and repaired by private-repair', async () => {
    await net.devnet.process('node2').stop();
    const checked = db('private-check');
    expect(checked.stdout, checked.stderr).toContain(`The first bad block is ${block}`);
    for (const part of [hash, contract, payload]) expect(checked.stdout).toContain(part);
    expect(checked.status).toBe(2);
    const repaired = db('private-repair');
    expect(repaired.stdout, repaired.stderr).toContain(
      `Ran private state again from block ${block}`,
    );
    expect(repaired.stdout).toContain('Private state matches its payloads.');
    expect(repaired.status).toBe(0);
    expect(db('private-check')).toMatchObject({ status: 0 });
    await net.devnet.restart('node2');
    await until('node 2 reads 42', async () => (await readStore(net, TWO, contract)) === word(42));
    const tag = `0x${block.toString(16)}`;
    const roots = await Promise.all(
      [ONE, TWO].map((at) => net.rpc[at]!.call('debug_privateStateRoot', tag)),
    );
    expect(roots[1]).toBe(roots[0]);
    await until('node 2 is ready', async () => (await readyOf(TWO)).ready);
    expect((await admin(TWO, 'privateTransaction', hash)).standing).toBe('party');
    // History digests are known once the node has executed these blocks again in the background.
    const isTraced = (digests: string) => /"history":"0x[0-9a-f]{64}".*"history":"0x/.test(digests);
    await until(
      'both report the same of the transaction and the contract',
      async () => {
        const [one, two] = await Promise.all([digestsOf(ONE), digestsOf(TWO)]);
        return one === two && isTraced(one);
      },
      PATIENCE_MS,
    );
    expect((await admin(STRANGER, 'privateTransaction', hash)).digests).toEqual([]);
    expect(await admin(STRANGER, 'privateContract', contract)).toEqual({ states: [] });
  });

  it('is not executed again when that would lose the effect of other payloads', async () => {
    const later = await setPrivate(net, contract, 43, [TWO]);
    await untilMined(net.rpc[ONE]!, later);
    await until('node 2 reads 43', async () => (await readStore(net, TWO, contract)) === word(43));
    await net.devnet.process('node2').stop();
    const gone = await payloadOf(later);
    await net.devnet.process('ptm1').stop();
    const url = `${managerOf(TWO)}/transaction/${encodeURIComponent(gone)}`;
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(204);
    const checked = db('private-check');
    expect(checked.stdout, checked.stderr).toContain('Private state is right');
    expect(checked.stdout).toContain(gone);
    expect(checked.status).toBe(2);
    expect(db('private-repair').stdout).not.toContain('again from block');
    await net.devnet.restart('ptm1');
    await until('it comes back', async () => db('private-check').status === 0);
    await net.devnet.restart('node2');
  });
});

describe('/ready', () => {
  it('is false while the manager is down, with the reason, and /health does not change', async () => {
    await net.devnet.process('ptm2').stop();
    await until('it is not ready', async () => (await reasonsOf(TWO)).includes('manager'));
    expect((await readyOf(TWO)).status).toBe(503);
    expect((await fetch(`${net.rpc[TWO]!.url}/health`)).status).toBe(200);
    expect((await admin(TWO, 'privateState')).manager).toMatch(/unable to submit request/);
    expect(said(TWO, 'The private transaction manager does not answer')).toBe(1);
    await net.devnet.restart('ptm2');
    await until('it is ready again', async () => (await readyOf(TWO)).ready);
  });

  it('is false without any of the configured peers, and behind others', async () => {
    for (const name of ['node1', 'node2', 'node3']) await net.devnet.process(name).stop();
    await until('it has no peers', async () => (await reasonsOf(3)).includes('peers'));
    await Promise.all(['node1', 'node2', 'node3'].map((name) => net.devnet.restart(name)));
    await until('it is ready again', async () => (await readyOf(3)).ready);
  });

  it('is false for a validator that abstains', async () => {
    const all = ['node1', 'node2', 'node3', 'node4'];
    for (const name of all) await net.devnet.process(name).stop();
    for (const name of all.slice(1)) {
      for (const file of ['votes', 'votes-written']) {
        rmSync(join(net.folder, name, 'quorate', file), { force: true });
      }
    }
    await Promise.all(all.map((name) => net.devnet.restart(name)));
    await until('it abstains', async () => (await reasonsOf(TWO)).includes('votes'));
    const votes = (await readyOf(TWO)).reasons.find(({ reason }) => reason === 'votes');
    expect(votes!.text).toMatch(/^this validator abstains: the file "votes" is /);
    expect(await reasonsOf(ONE)).not.toContain('votes');
  });
});
