/** Managers as processes: the commands of docs/manager.md, and an outbox that survives kill -9. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { MAIN, PROJECT } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { freePorts } from '../support/free-ports.ts';
import { POSTGRES_PATIENCE_MS, startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { testKey } from '../support/ptm.ts';
import { writeQuorateCommand } from '../support/quorate-command.ts';

let folder: string;
let postgres: TestPostgres | undefined;
const children: ChildProcess[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-manager-'));
  postgres = await startTestPostgres();
}, POSTGRES_PATIENCE_MS);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}, POSTGRES_PATIENCE_MS);

type Block = { readonly kind: 'sh' | 'file'; readonly text: string; readonly name: string };

function blocksOf(page: string): Block[] {
  const found = page.matchAll(/(?:`([\w.]+)`:\n\n)?```(sh|json)\n([\s\S]*?)```/g);
  const blocks: Block[] = [...found].map(([, name = '', kind, text]) => ({
    kind: kind === 'sh' ? 'sh' : 'file',
    name,
    text: text!,
  }));
  // A block of a file's content without a file name is only an illustration.
  return blocks.filter(({ kind, name }) => kind === 'sh' || name !== '');
}

async function isUp(url: string): Promise<boolean> {
  return (await fetch(`${url}/upcheck`)).ok;
}

async function post(url: string, body: unknown) {
  const headers = { 'content-type': 'application/vnd.tessera-2.1+json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, json: response.ok ? JSON.parse(text) : undefined };
}

async function payloadAt(url: string, hash: string): Promise<string | undefined> {
  const got = await fetch(`${url}/transaction/${encodeURIComponent(hash)}`);
  return got.ok
    ? Buffer.from(JSON.parse(await got.text()).payload, 'base64').toString()
    : undefined;
}

const b64 = (text: string) => Buffer.from(text).toString('base64');

it('the commands of docs/manager.md work as written', async ({ annotate }) => {
  const cwd = join(folder, 'docs');
  const bin = join(folder, 'bin');
  for (const path of [cwd, bin]) mkdirSync(path);
  writeQuorateCommand(bin);
  const base = await freePorts();
  const database = await postgres?.newDatabase();
  const [q2t, p2p, thirdParty] = [base, base + 1, base + 2].map(
    (port) => `http://127.0.0.1:${port}`,
  );
  let page = readFileSync(join(PROJECT, 'docs/manager.md'), 'utf8')
    .replaceAll('http://127.0.0.1:9101', q2t!)
    .replaceAll('http://127.0.0.1:9001', p2p!)
    .replaceAll('http://127.0.0.1:9081', thirdParty!);
  if (!database)
    await annotate('no PostgreSQL: the manager moved into a folder instead', 'not run');
  page = database
    ? page.replaceAll('postgres://ptm@localhost/payloads', database)
    : page.replaceAll(
        '--store postgres://ptm@localhost/payloads',
        '--override quorate.dataDir=moved',
      );
  const pidFile = join(cwd, 'ptm.pid');
  const stopped = (pid: number) =>
    until(`process ${pid} has ended`, () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
  const line = async (command: string) => {
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
    const isServer = command.endsWith('&');
    const child = endsWithTest(
      spawn('sh', ['-c', isServer ? `exec ${command.slice(0, -1)}` : command], {
        cwd,
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    if (isServer) {
      children.push(child);
      await until(`${command} listens: ${output}`, () => isUp(q2t!));
      return output;
    }
    const status = await new Promise((done) => child.once('close', done));
    expect(status, `${command}\n${output}`).toBe(0);
    if (command.startsWith('kill ')) await stopped(pid);
    return output;
  };
  const keyOf = (name: string) => readFileSync(join(cwd, 'keys', `${name}.pub`), 'utf8');
  const sent: string[] = [];
  const outputs: string[] = [];
  for (const block of blocksOf(page)) {
    if (block.kind === 'file') writeFileSync(join(cwd, block.name), block.text);
    else for (const command of block.text.trim().split('\n')) outputs.push(await line(command));
    if (!block.text.includes('&\n')) continue;
    // After each start, everything sent before is still there, and sending works.
    for (const [i, hash] of sent.entries())
      expect(await payloadAt(q2t!, hash)).toBe(`payload ${i}`);
    const answer = await post(`${q2t}/send`, { payload: b64(`payload ${sent.length}`), to: [] });
    expect(answer.status, answer.text).toBe(201);
    sent.push(answer.json.key);
    expect(answer.json.senderKey).toBe(
      keyOf(existsSync(join(cwd, 'keys', 'two.pub')) ? 'two' : 'one'),
    );
    // When the last start goes back to the embedded store, payloads in PostgreSQL are not in it.
    if (block.text.includes('moving')) sent.pop();
  }
  expect(sent).toHaveLength(2);
  expect(outputs.join('')).toContain('Manager: 1 payloads');
  const { keys } = (await (await fetch(`${thirdParty}/keys`)).json()) as {
    keys: { key: string }[];
  };
  expect(keys.map(({ key }) => key)).toEqual([keyOf('two'), keyOf('one')]);
  // A partner that does not know the new key yet can still use the old one.
  const byOld = await post(`${q2t}/send`, { payload: b64('old'), from: keyOf('one'), to: [] });
  expect(byOld.json.senderKey).toBe(keyOf('one'));
});

it('a payload for a peer that was down arrives, although its sender was killed in the meantime', async () => {
  const base = await freePorts();
  const manager = async (number: number) => {
    const at = join(folder, `ptm${number}`);
    mkdirSync(at, { recursive: true });
    const { publicKey, privateKey } = await testKey(number);
    const url = (port: number) => `http://127.0.0.1:${base + port}`;
    const server = (app: string, port: number) => ({ app, serverAddress: url(port) });
    const config = {
      serverConfigs: [server('Q2T', 2 * number), server('P2P', 2 * number + 1)],
      peer: [{ url: url(3) }, { url: url(5) }],
      keys: { keyData: [{ publicKey, privateKey }] },
    };
    const file = join(at, 'config.json');
    writeFileSync(file, JSON.stringify(config));
    const start = async () => {
      const child = endsWithTest(
        spawn(process.execPath, [MAIN, 'ptm', '--configfile', file], {
          stdio: 'ignore',
        }),
      );
      children.push(child);
      await until(`manager ${number} is up`, () => isUp(url(2 * number)));
      return child;
    };
    return { publicKey, q2t: url(2 * number), start };
  };
  const kill = async (child: ChildProcess) => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  };
  const [one, two] = [await manager(1), await manager(2)];
  const sender = await one.start();
  const recipient = await two.start();
  const to = [two.publicKey];
  await until('the managers know each other', async () => {
    return (await post(`${one.q2t}/send`, { payload: b64('first'), to })).status === 201;
  });
  await kill(recipient);
  const raw = await post(`${one.q2t}/storeraw`, { payload: b64('late') });
  const hash = raw.json.key as string;
  const late = await post(`${one.q2t}/sendsignedtx`, { hash, to });
  expect([late.status, late.text]).toEqual([
    410,
    `Connection error while communicating with http://127.0.0.1:${base + 5}/`,
  ]);
  await kill(sender);
  await one.start();
  await two.start();
  await until('the payload has arrived', async () => (await payloadAt(two.q2t, hash)) === 'late');
});
