import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const LIMITS = { perClient: 100, total: 150 };

function item(client: string, connection = 1, name = client) {
  return { asker: { client, connection }, name };
}

/**
 * Serves `count` requests one after another, each for the time that `ms` returns; returns their
 * names.
 */
function serve(
  queue: FairQueue<ReturnType<typeof item>>,
  count: number,
  ms: (name: string) => number,
): string[] {
  return Array.from({ length: count }, () => {
    const next = queue.next()!;
    queue.served(next, ms(next.name));
    return next.name;
  });
}

describe('fair queue', () => {
  it('serves two clients in turn, however many requests one of them has waiting', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    for (let i = 0; i < 90; i++) queue.push(item('greedy'));
    for (let i = 0; i < 3; i++) queue.push(item('modest'));
    const names = serve(queue, 6, () => 10);
    expect(names.filter((name) => name === 'modest')).toHaveLength(3);
  });

  it('counts time, not requests', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    for (let i = 0; i < 10; i++) queue.push(item('slow'));
    for (let i = 0; i < 50; i++) queue.push(item('quick'));
    const names = serve(queue, 44, (name) => (name === 'slow' ? 100 : 10));
    expect(names.filter((name) => name === 'quick').length).toBeGreaterThanOrEqual(39);
  });

  it('lets one who comes again pass those that were served meanwhile', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    for (let i = 0; i < 50; i++) queue.push(item('endless'));
    for (let round = 0; round < 10; round++) {
      serve(queue, 1, () => 5_000);
      queue.push(item('light'));
      expect(serve(queue, 1, () => 1)).toEqual(['light']);
    }
  });

  it('does not let a client be served twice as much for having two connections', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    for (let i = 0; i < 40; i++) queue.push(item('one', 1));
    for (let i = 0; i < 80; i++) queue.push(item('two', i % 2));
    const names = serve(queue, 40, () => 10);
    expect(names.filter((name) => name === 'one')).toHaveLength(20);
  });

  it('serves the connections of a client in turn, each in its order', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    for (const name of ['a1', 'a2', 'a3']) queue.push(item('client', 1, name));
    for (const name of ['b1', 'b2', 'b3']) queue.push(item('client', 2, name));
    const names = serve(queue, 6, () => 10);
    expect(names.slice(0, 4).sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(names.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  });

  it.each(['connections', 'clients'])(
    'serves %s in turn although a request took longer than the others by chance',
    (kind) => {
      const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
      const ask = (name: string) =>
        queue.push(kind === 'clients' ? item(name) : item('client', Number(name), name));
      const all = ['1', '2', '3', '4'];
      for (const name of all) ask(name);
      for (let round = 0; round < 10; round++) {
        const names = all.map(() => {
          const [name] = serve(queue, 1, (each) => (each === '2' && round === 3 ? 20 : 1));
          ask(name!);
          return name;
        });
        expect(names).toEqual(all);
      }
    },
  );

  it('bounds what one client and what all have waiting', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    for (let i = 0; i < 100; i++) queue.push(item('a'));
    expect(() => queue.push(item('a'))).toThrow(/more than 100 requests of this client/);
    for (let i = 0; i < 50; i++) queue.push(item(`b${i}`));
    expect(() => queue.push(item('c'))).toThrow(/more than 150 requests/);
    expect(queue.size).toBe(150);
  });

  it('puts a request that was not run before the others of its connection', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    for (const name of ['a', 'b']) queue.push(item('client', 1, name));
    queue.putBack(queue.next()!);
    expect(queue.size).toBe(2);
    expect(serve(queue, 2, () => 1)).toEqual(['a', 'b']);
  });

  it('passes over what may not run now, and forgets what is taken out', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(LIMITS);
    const long = item('a', 1, 'long');
    const short = item('a', 1, 'short');
    queue.push(long);
    queue.push(short);
    expect(queue.next(({ name }) => name === 'short')).toBe(short);
    expect(queue.remove(long)).toBe(true);
    expect(queue.remove(long)).toBe(false);
    expect(queue.next()).toBeUndefined();
    expect(queue.size).toBe(0);
  });
});
