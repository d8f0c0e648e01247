import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MANAGER_CONFIG_DEFAULTS } from './config.ts';
import { Courier, type CourierAnswer, type CourierRequest } from './courier.ts';
import { Transport } from './transport.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface Batch {
  readonly requests: readonly {
    readonly path: string;
    readonly media: string;
    readonly body: unknown;
  }[];
  readonly response: ServerResponse;
}

/** A manager in which the test answers each batch by hand. */
async function manager(): Promise<{
  courier: Courier;
  next(): Promise<Batch>;
  isQuiet(): boolean;
}> {
  const batches: Batch[] = [];
  const waiting: ((batch: Batch) => void)[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const batch = { requests: JSON.parse(text).requests, response };
    const wake = waiting.shift();
    if (wake) wake(batch);
    else batches.push(batch);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const transport = new Transport({
    ...MANAGER_CONFIG_DEFAULTS,
    connection: 'http',
    httpUrl: `http://127.0.0.1:${port}`,
  });
  cleanups.push(() => {
    transport.close();
    server.close();
    server.closeAllConnections();
  });
  return {
    courier: new Courier(transport),
    next: async () => batches.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    isQuiet: () => batches.length === 0,
  };
}

function request(number: number, alone = notAlone): CourierRequest {
  return { path: '/send', media: 'application/json', body: `{"number":${number}}\n`, alone };
}

/** Timers of the test; a batch of two requests has left, and has no answer. */
async function withOneOnItsWay() {
  const { courier, next, isQuiet } = await manager();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const pair = (from: number) => [courier.ask(request(from)), courier.ask(request(from + 1))];
  const all = pair(0);
  return { pair, next, isQuiet, all, first: await next() };
}

/** Answers whose texts are their numbers. */
function lines(count: number): string {
  return Array.from(
    { length: count },
    (_, at) => `{"at":${at},"status":200,"text":"${at}"}\n`,
  ).join('');
}

const notAlone = (): Promise<CourierAnswer> =>
  Promise.reject(new Error('it should have travelled in a batch'));

describe('requests to a manager that takes batches', () => {
  it('of one turn travel together, and each is answered as soon as it is done', async () => {
    const { courier, next } = await manager();
    const [slow, quick] = [courier.ask(request(1)), courier.ask(request(2))];
    const { requests, response } = await next();
    expect(requests).toEqual([
      { path: '/send', media: 'application/json', body: { number: 1 } },
      { path: '/send', media: 'application/json', body: { number: 2 } },
    ]);
    response.write('{"at":1,"status":201,"body":{"key":"two"}}\n{"at":0,');
    expect(await quick).toEqual({ status: 201, body: { key: 'two' } });
    response.end('"status":404,"text":"no"}\n');
    expect(await slow).toEqual({ status: 404, text: 'no' });
  });

  it('a single one goes by itself', async () => {
    const { courier } = await manager();
    const alone = async () => ({ status: 200, text: 'alone' });
    expect(await courier.ask(request(1, alone))).toEqual({ status: 200, text: 'alone' });
  });

  it('gather while a batch has no answer, and leave when it has its first', async () => {
    const { pair, next, isQuiet, all, first } = await withOneOnItsWay();
    all.push(...pair(2));
    await turn();
    all.push(...pair(4));
    await turn();
    expect(isQuiet()).toBe(true);
    first.response.write('{"at":0,"status":200,"text":"0"}\n');
    const second = await next();
    expect(second.requests).toHaveLength(4);
    first.response.end('{"at":1,"status":200,"text":"1"}\n');
    second.response.end(lines(4));
    expect((await Promise.all(all)).map(({ text }) => text)).toEqual(['0', '1', ...'0123']);
  });

  it('gather for no more than 25 ms', async () => {
    const { pair, next, isQuiet, all, first } = await withOneOnItsWay();
    all.push(...pair(2));
    await turn();
    vi.advanceTimersByTime(24);
    await turn();
    expect(isQuiet()).toBe(true);
    vi.advanceTimersByTime(1);
    const second = await next();
    for (const { response } of [first, second]) response.end(lines(2));
    expect((await Promise.all(all)).map(({ text }) => text)).toEqual([...'0101']);
  });

  it.each([
    ['breaks off', (response: ServerResponse) => response.destroy()],
    ['ends too early', (response: ServerResponse) => response.end()],
    ['answers garbage', (response: ServerResponse) => response.end('<html>\n')],
    ['answers what was not asked', (response: ServerResponse) => response.end('{"at":7}\n')],
  ])('that %s: what was answered stands, the rest fails', async (_, fault) => {
    const { courier, next } = await manager();
    const [good, lost] = [courier.ask(request(1)), courier.ask(request(2))];
    const { response } = await next();
    response.write('{"at":0,"status":201,"body":{}}\n');
    expect(await good).toEqual({ status: 201, body: {} });
    fault(response);
    await expect(lost).rejects.toMatchObject({ code: 'PTM_UNREACHABLE' });
    await expect(lost).rejects.toThrow(/unable to submit request \(method:POST,path:\/send\)/);
  });
});
