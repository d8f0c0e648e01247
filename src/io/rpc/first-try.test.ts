import { describe, expect, it } from 'vitest';
import { Dispatcher, type Reply } from './dispatcher.ts';
import { FirstTries } from './first-try.ts';
import { methodOf } from './method.ts';

const method = methodOf<object>();
const CALLER = { transport: 'http', psi: undefined, access: { kind: 'open' }, remote: '' } as const;

/** A node with one heavy method; `reads` are the calls that reached its readers. */
function node(row: { tryShortly?: () => string | undefined; isHeavy?: () => boolean }) {
  const reads: string[] = [];
  const dispatcher = new Dispatcher<object>(
    {
      methods: [
        method('eth_heavy', {
          params: [],
          result: {},
          about: '',
          isHeavy: true,
          call: () => 'on this thread',
          ...row,
        }),
      ],
      subscriptions: [],
    },
    {
      contextOf: () => ({}),
      isEnabled: () => true,
      newId: () => '0x1',
      log: () => {},
      isMultitenant: false,
      nowMs: () => 0,
      readers: {
        async answer({ id }) {
          reads.push(id);
          return { reply: `{"id":${id},"result":"by a reader"}`, isError: false };
        },
      },
    },
  );
  const ask = async (more = '') => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"eth_heavy"${more}}`;
    return JSON.parse(String((await dispatcher.reply(text, CALLER)) as Reply)).result;
  };
  return { ask, reads, dispatcher };
}

describe('a heavy method', () => {
  it('is for the readers', async () => {
    expect(await node({}).ask()).toBe('by a reader');
  });

  it('is answered here when that takes but a moment', async () => {
    expect(await node({ tryShortly: () => 'shortly' }).ask()).toBe('shortly');
    expect(await node({ tryShortly: () => undefined }).ask()).toBe('by a reader');
  });

  it('is not tried here when it came in a long request', async () => {
    const { ask } = node({ tryShortly: () => 'shortly' });
    expect(await ask(`,"filler":"${'x'.repeat(10_000)}"`)).toBe('by a reader');
  });

  it('may be so for some calls only', async () => {
    expect(await node({ isHeavy: () => false }).ask()).toBe('on this thread');
    expect(await node({ isHeavy: () => true }).ask()).toBe('by a reader');
  });

  it('is not run for nobody', async () => {
    const { dispatcher, reads } = node({});
    expect(await dispatcher.handle('{"jsonrpc":"2.0","method":"eth_heavy"}', CALLER)).toBe('');
    expect(reads).toEqual([]);
  });

  it('joins bytes of readers and text in a batch', async () => {
    const { dispatcher } = node({});
    const call = '{"jsonrpc":"2.0","id":5,"method":"eth_heavy"}';
    const none = '{"jsonrpc":"2.0","id":6,"method":"eth_none"}';
    const replies = JSON.parse(await dispatcher.handle(`[${call},${none}]`, CALLER));
    expect(replies.map(({ id }: { id: number }) => id)).toEqual([5, 6]);
  });
});

it('tries that do not finish are bounded in each second', () => {
  const tries = new FirstTries();
  let begun = 0;
  const wasted = performance.now() + 400;
  while (performance.now() < wasted)
    tries.run((shouldStop) => {
      begun++;
      while (!shouldStop());
      return undefined;
    });
  expect(begun).toBeGreaterThan(0);
  expect(begun).toBeLessThanOrEqual(101);
});
