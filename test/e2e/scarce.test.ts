/**
 * Services in processes that cannot open more files, and on full disks: they report it, lose
 * nothing acknowledged, and continue.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { StakingClient } from '../../src/clients/staking-client.ts';
import { until } from '../support/conditions.ts';
import {
  headOf,
  startTestDevnet,
  type TestDevnet,
  untilBlock,
  untilMined,
} from '../support/devnet.ts';
import { rpcClient } from '../support/rpc-client.ts';

const SERVICES = ['node4', 'ptm4', 'signer', 'staking'] as const;
type Service = (typeof SERVICES)[number];
const DISK = '40m';
const FULL = /no space (is )?left on the disk/;
const FILES = 1_024;
/** More than the limit leaves. */
const CONNECTIONS = 200;

let net: TestDevnet;
let folder: string;
let hasDisks = true;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-scarce-'));
  for (const name of SERVICES) {
    mkdirSync(join(folder, name));
    try {
      const argv = ['-t', 'tmpfs', '-o', `size=${DISK}`, 'none', join(folder, name)];
      execFileSync('mount', argv, { stdio: 'pipe' });
    } catch {
      hasDisks = false;
    }
  }
  net = await startTestDevnet({ folder, inProcesses: true });
});
afterAll(async () => {
  await net?.devnet.stop();
  if (hasDisks) for (const name of SERVICES) execFileSync('umount', [join(folder, name)]);
  rmSync(folder, { recursive: true, force: true });
});

const pidOf = (name: Service) => net.devnet.process(name).pid;
const logOf = (name: Service) => readFileSync(join(folder, `${name}.log`), 'utf8');
const said = (name: Service, words: RegExp) =>
  until(`${name} says it`, async () => words.test(logOf(name)));

function urlOf(name: Service): string {
  const { nodes, signer, staking } = net.devnet.description;
  return { node4: nodes[3]!.rpc, ptm4: managerUrl(), signer: signer.rpc, staking: staking.apiUrl }[
    name
  ];
}

/** Where the node reaches its manager. */
function managerUrl(): string {
  const { serverConfigs } = JSON.parse(readFileSync(join(folder, 'ptm4/config.json'), 'utf8'));
  return serverConfigs.find(({ app }: { app: string }) => app === 'Q2T').serverAddress;
}

function pathOf(name: Service): string {
  return name === 'node4' || name === 'staking' ? '/health' : '/upcheck';
}

async function answers(name: Service): Promise<boolean> {
  const response = await fetch(`${urlOf(name)}${pathOf(name)}`).catch(() => undefined);
  return response?.ok ?? false;
}

describe('the limit of open files', () => {
  it.for(SERVICES)(
    '%s refuses connections, says why, and accepts them again',
    async (name, { skip }) => {
      const pid = String(pidOf(name));
      const limit = (soft: number) =>
        execFileSync('prlimit', ['--pid', pid, `--nofile=${soft}:`], { stdio: 'pipe' });
      try {
        limit(readdirSync(`/proc/${pid}/fd`).length + 8);
      } catch {
        skip('no prlimit here, which lowers the limit of a running process');
      }
      const head = await headOf(net.rpc[0]!);
      const { hostname, port } = new URL(urlOf(name));
      let sockets: Socket[] = [];
      // Refused ones come again, as real ones do: the process may close a file of its own
      // meanwhile.
      const keepConnecting = () => {
        sockets = sockets.filter(({ destroyed }) => !destroyed);
        while (sockets.length < CONNECTIONS) {
          sockets.push(connect(Number(port), hostname).on('error', () => {}));
        }
      };
      await until(`${name} says it`, async () => {
        keepConnecting();
        const words = /No file can be opened: connections are refused meanwhile.*ulimit -n/;
        return words.test(logOf(name));
      });
      await untilBlock(net.rpc[0]!, head + 2);
      for (const socket of sockets) socket.destroy();
      await said(name, /Files can be opened again/);
      await until(`${name} answers`, () => answers(name));
      expect(String(pidOf(name))).toBe(pid);
      await untilBlock(net.rpc[3]!, head + 2);
      limit(FILES);
    },
  );
});

describe('a full disk', () => {
  const hasNone = ({ skip }: TestContext) => {
    if (!hasDisks) skip('this user may not mount a small disk to fill');
  };
  const filler = (name: Service) => join(folder, name, 'filler');

  it('a manager keeps what it acknowledged, names the disk, and accepts payloads again', async (context) => {
    hasNone(context);
    const acknowledged: string[] = [];
    const send = async () => {
      const payload = btoa(randomUUID().repeat(5_000));
      const response = await fetch(`${managerUrl()}/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ payload, from: net.keys[3], to: [] }),
      });
      if (response.ok) acknowledged.push(((await response.json()) as { key: string }).key);
      return response;
    };
    await send();
    fill(filler('ptm4'));
    const refused = await until('it cannot', async () => {
      const response = await send();
      return response.ok ? undefined : response;
    });
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringMatching(FULL)]);
    rmSync(filler('ptm4'));
    expect((await send()).status).toBe(201);
    for (const key of acknowledged) {
      const held = await fetch(`${managerUrl()}/transaction/${encodeURIComponent(key)}`);
      expect(held.status).toBe(200);
    }
  });

  it('a signing proxy sends nothing that its journal does not have, names the disk, and continues', async (context) => {
    hasNone(context);
    const rpc = rpcClient(urlOf('signer'));
    const from = net.accounts[0]!.address;
    const transfer = { from, to: from, value: '0x1', gas: '0x5208' };
    const sent: string[] = [];
    const send = async () => sent.push(await rpc.call<string>('eth_sendTransaction', transfer));
    await send();
    fill(filler('signer'));
    await until('it cannot', () => send().then(() => undefined, String));
    expect(logOf('signer')).toMatch(/The transaction journal cannot be written.*no space left/);
    rmSync(filler('signer'));
    await send();
    for (const hash of sent) await untilMined(net.rpc[0]!, hash);
  });

  it('a staking service keeps what it acknowledged, names the disk, and stakes again', async (context) => {
    hasNone(context);
    const { staking } = net.devnet.description;
    const client = new StakingClient({ ...staking, ...staking.client });
    const request = { withdrawal_pubkey: net.accounts[0]!.address, amount: '32000000000' };
    const ids: string[] = [];
    const stake = async (key: string) => {
      const { stakes } = await client.stake(request, key);
      ids.push(...stakes.map(({ id }) => id));
    };
    await stake(randomUUID());
    fill(filler('staking'));
    const key = await until('it cannot', async () => {
      const wanted = randomUUID();
      return stake(wanted).then(
        () => undefined,
        () => wanted,
      );
    });
    expect(logOf('staking')).toMatch(
      /the disk of .*staking\.db has no space left: nothing acknowledged is lost/,
    );
    rmSync(filler('staking'));
    await until('it stakes again', () =>
      stake(key).then(
        () => true,
        () => undefined,
      ),
    );
    for (const id of ids) {
      const deposited = async () => (await client.findStake(id)).status === 'DEPOSITED';
      await until(`${id} is in a block`, deposited);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });
});

/** Writes until the disk is full. */
function fill(file: string): void {
  for (const size of [1 << 16, 1 << 12, 1]) {
    try {
      for (;;) appendFileSync(file, new Uint8Array(size));
    } catch {
      // A block of this size no longer fits.
    }
  }
}
