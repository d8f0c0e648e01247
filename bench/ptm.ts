/**
 * Private payloads of 1 KB per second: encrypted, stored durably at both ends, pushed, fetched;
 * each manager is a process with lmdb on disk.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { resolveManagerConfig } from '../src/io/ptm-client/config.ts';
import { connectManager } from '../src/io/ptm-client/connect.ts';
import type { ConnectedManager } from '../src/io/ptm-client/connected-manager.ts';

const PAYLOAD_BYTES = 1024;
const COUNT = Number(process.env.PTM_BENCH_COUNT ?? 4000);
const IN_FLIGHT = [1, 16, 128];
const HASHES_PER_ASK = 256;

interface Process {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
  readonly q2tUrl: string;
  readonly p2pUrl: string;
  readonly key: string;
}

async function launch(folder: string, number: number, peers: readonly string[]): Promise<Process> {
  const script = resolve(import.meta.dirname, 'ptm-process.ts');
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', script, folder, String(number), ...peers],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const reader: Interface = createInterface({ input: child.stdout! });
  const lines = reader[Symbol.asyncIterator]();
  return { child, lines, ...JSON.parse((await lines.next()).value) };
}

async function usage({ child, lines }: Process): Promise<{ rssBytes: number; cpuMs: number }> {
  child.stdin!.write('memory\n');
  return JSON.parse((await lines.next()).value);
}

async function run(
  count: number,
  inFlight: number,
  work: (i: number) => Promise<void>,
): Promise<number> {
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) await work(next++);
    }),
  );
  return (count * 1000) / (performance.now() - start);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ptm-bench-'));
  const one = await launch(folder, 1, []);
  const two = await launch(folder, 2, [one.p2pUrl]);
  const connect = ({ q2tUrl }: Process): Promise<ConnectedManager> =>
    connectManager(resolveManagerConfig(undefined, { 'ptm.socket': q2tUrl.slice(5) }), {
      say: () => undefined,
    });
  const [sender, recipient] = [await connect(one), await connect(two)];
  const send = (i: number) =>
    sender.send({
      payload: new Uint8Array(PAYLOAD_BYTES).fill(i),
      from: undefined,
      to: [two.key],
      flag: 0,
      affected: [],
      execHash: undefined,
      mandatory: undefined,
    });
  // A recipient is known once it has proven its key.
  const isKnown = () =>
    send(0).then(
      () => true,
      () => false,
    );
  while (!(await isKnown())) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const inFlight of IN_FLIGHT) {
    const count = inFlight === 1 ? COUNT / 4 : COUNT;
    const before = [await usage(one), await usage(two)];
    const hashes: Uint8Array[] = [];
    const rate = await run(count, inFlight, async (i) => {
      hashes.push((await send(i)).hash);
    });
    const after = [await usage(one), await usage(two)];
    const cpu = after.map((now, i) => ((now.cpuMs - before[i]!.cpuMs) / count).toFixed(2));
    console.log(
      `send, ${inFlight} in flight: ${rate.toFixed(0)} payloads/s, CPU ms per payload: sender ${cpu[0]}, recipient ${cpu[1]}`,
    );
    const groups = Math.ceil(hashes.length / HASHES_PER_ASK);
    const asked = await run(groups, 2, async (i) => {
      const part = hashes.slice(i * HASHES_PER_ASK, (i + 1) * HASHES_PER_ASK);
      await recipient.ask(part.map((hash) => ({ kind: 'payload', hash })));
    });
    console.log(
      `ask in batches of ${HASHES_PER_ASK}: ${((asked * hashes.length) / groups).toFixed(0)} payloads/s`,
    );
  }
  for (const [name, one_] of [
    ['sender', one],
    ['recipient', two],
  ] as const) {
    console.log(`${name}: RSS ${((await usage(one_)).rssBytes / 1048576).toFixed(0)} MB`);
  }
  for (const client of [sender, recipient]) client.close();
  for (const { child } of [one, two]) child.stdin!.write('stop\n');
  await Promise.all([one, two].map(({ child }) => new Promise((done) => child.once('exit', done))));
  rmSync(folder, { recursive: true });
}

await main();
