/**
 * Measures other processes: their CPU seconds and memory, from /proc (Linux). Also waits until they
 * serve.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const TICKS_PER_SECOND = 100;
/** Keeps a server off the clients' core, if taskset exists (Linux). */
const TASKSET = '/usr/bin/taskset';

/** Runs Node with these arguments; its errors are shown. */
export function onOneCore(args: readonly string[]): ChildProcess {
  const command = existsSync(TASKSET) ? [TASKSET, '-c', '0', process.execPath] : [process.execPath];
  const [program, ...rest] = [...command, ...args];
  return spawn(program!, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** User and system seconds that these processes have used so far. */
export function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
}

/** Those of a process's children that have ended, and of theirs. */
export function descendantsCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** User and system nanoseconds of the threads that a process has now: exact for short times. */
export function cpuNanoseconds(pid: number): number {
  let total = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return total;
}

/** CPU seconds that the whole machine has used, without idle and wait time. */
export function machineCpuSeconds(): number {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0]!;
  const [user, nice, system, , , irq, softIrq] = line.trim().split(/\s+/).slice(1).map(Number);
  return (user! + nice! + system! + irq! + softIrq!) / TICKS_PER_SECOND;
}

/** Resident megabytes of a process, now or (`VmHWM`) at its peak; `RssAnon`: without files. */
export function residentMb(pid: number, field: 'VmRSS' | 'VmHWM' | 'RssAnon' = 'VmRSS'): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`));
  return Number(line![1]) / 1024;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** One HTTP POST of JSON over a kept connection; resolves with the reply's text. */
export function post(url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const asked = request(url, { agent, method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

export async function rpc(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const text = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const reply = JSON.parse(text) as { result?: unknown; error?: { message: string } };
  if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
  return reply.result;
}

/** Repeats until `isTrue`; an error counts as false. */
export async function until(
  what: string,
  isTrue: () => Promise<boolean>,
  patienceMs: number,
): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > end) throw new Error(`waited ${patienceMs} ms, but not true: ${what}`);
    await sleep(20);
  }
}
