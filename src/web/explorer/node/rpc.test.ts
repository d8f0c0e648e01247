import { afterEach, expect, it, vi } from 'vitest';
import { Rpc, RpcFault } from './rpc.ts';

/** Records request bodies; each call is answered with the name of its method. */
function answering(): unknown[][] {
  const bodies: unknown[][] = [];
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const calls = JSON.parse(body) as { id: number; method: string }[];
    bodies.push(calls);
    return new Response(JSON.stringify(calls.map(({ id, method }) => ({ id, result: method }))));
  });
  return bodies;
}

afterEach(() => vi.unstubAllGlobals());

it('sends concurrent calls in requests of at most 50', async () => {
  const bodies = answering();
  const rpc = new Rpc('http://node.example', '', '');
  const names = Array.from({ length: 120 }, (_, at) => `method_${at}`);
  expect(await Promise.all(names.map((name) => rpc.call(name)))).toEqual(names);
  expect(bodies.map((calls) => calls.length)).toEqual([50, 50, 20]);
});

it('fails all calls of a request that the node refuses', async () => {
  const error = { code: -32600, message: 'batch too large' };
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ id: null, error })));
  const rpc = new Rpc('http://node.example', '', '');
  const all = await Promise.allSettled([rpc.call('a'), rpc.call('b')]);
  for (const each of all) expect(each).toMatchObject({ reason: expect.any(RpcFault) });
});
