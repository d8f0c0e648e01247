import { describe, expect, it } from 'vitest';
import { fail } from '../../core/base/errors.ts';
import { OPEN } from './access.ts';
import { BATCH_LIMITS } from './batch.ts';
import {
  type Caller,
  type Channel,
  Dispatcher,
  SUBSCRIPTIONS_PER_CHANNEL_MAX,
} from './dispatcher.ts';
import { methodOf, type Param, ParamError, RawJson, RpcError } from './method.ts';

interface Context {
  readonly psi: string | undefined;
}

const word: Param<string> = {
  name: 'word',
  schema: { type: 'string' },
  isOptional: false,
  parse(value) {
    if (typeof value !== 'string') throw new ParamError('not a word');
    return value;
  },
};
const maybe: Param<string | undefined> = {
  ...word,
  isOptional: true,
  parse: (value) => (value === undefined ? undefined : word.parse(value)),
};

const row = methodOf<Context>();
const shape = { result: {}, about: '' };
const events = new Set<(result: string) => void>();

function dispatcherOf(namespaces = ['eth', 'rpc']) {
  const logged: string[] = [];
  let ids = 0;
  const dispatcher = new Dispatcher<Context>(
    {
      methods: [
        row(['eth_echo', 'eth_say'], {
          ...shape,
          params: [word, maybe],
          call: (_, [a, b], name) => [name, a, b ?? null],
        }),
        row('eth_psi', { ...shape, params: [], call: ({ psi }) => psi ?? null }),
        row('eth_raw', { ...shape, params: [], call: () => new RawJson('[1]') }),
        row('eth_nothing', { ...shape, params: [], call: () => undefined as never }),
        row('eth_long', { ...shape, params: [], call: () => 'x'.repeat(1024 * 1024) }),
        row('eth_revert', {
          ...shape,
          params: [],
          call: () => {
            throw fail('EXECUTION_REVERTED', 'execution reverted: no', { data: '0x08' });
          },
        }),
        row('eth_refuse', {
          ...shape,
          params: [],
          call: async () => {
            throw fail('X', 'refused', { data: { secret: 1 } });
          },
        }),
        row('eth_own', {
          ...shape,
          params: [],
          call: () => {
            throw new RpcError(-32001, 'mine', { a: 1 });
          },
        }),
        row('eth_crash', {
          ...shape,
          params: [],
          call: () => {
            throw new TypeError('the secret place');
          },
        }),
        row('debug_hidden', { ...shape, params: [], call: () => 1 }),
        row('rpc.discover', { ...shape, params: [], call: () => ({}) }),
      ],
      subscriptions: [
        {
          namespaces: ['eth'],
          kind: 'ticks',
          params: [maybe],
          about: '',
          open: (_, [prefix], emit) => {
            const listener = (text: string) => emit(`${prefix ?? ''}${text}`);
            events.add(listener);
            return () => events.delete(listener);
          },
        },
      ],
    },
    {
      contextOf: (caller) => ({ psi: caller.psi }),
      isEnabled: (_, namespace) => namespaces.includes(namespace),
      newId: () => `0x${(++ids).toString(16)}`,
      log: (_, message) => logged.push(message),
      isMultitenant: false,
      nowMs: () => 0,
    },
  );
  return { dispatcher, logged };
}

const CALLER: Caller = { transport: 'http', psi: 'PS1', access: OPEN, remote: '' };

async function ask(method: string, params?: unknown, channel?: Channel): Promise<any> {
  const { dispatcher } = dispatcherOf();
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return JSON.parse(await dispatcher.handle(text, CALLER, channel));
}

describe('calls', () => {
  it('reach their handler under each name, with parsed parameters', async () => {
    expect((await ask('eth_echo', ['a'])).result).toEqual(['eth_echo', 'a', null]);
    expect((await ask('eth_say', ['a', 'b'])).result).toEqual(['eth_say', 'a', 'b']);
    expect((await ask('eth_psi')).result).toBe('PS1');
    expect((await ask('rpc.discover')).result).toEqual({});
  });

  it('take null for an optional parameter, and a null too many', async () => {
    expect((await ask('eth_echo', ['a', null])).result).toEqual(['eth_echo', 'a', null]);
    expect((await ask('eth_echo', ['a', 'b', null])).result).toEqual(['eth_echo', 'a', 'b']);
  });

  it('are refused in the words of GoQuorum', async () => {
    const messages: [string, unknown, number, string][] = [
      ['eth_echo', [], -32602, 'missing value for required argument 0'],
      ['eth_echo', [1], -32602, 'invalid argument 0: not a word'],
      ['eth_echo', ['a', 'b', 'c'], -32602, 'too many arguments, want at most 2'],
      ['eth_echo', { word: 'a' }, -32602, 'non-array args'],
      ['eth_nope', [], -32601, 'the method eth_nope does not exist/is not available'],
      ['debug_hidden', [], -32601, 'the method debug_hidden does not exist/is not available'],
    ];
    for (const [method, params, code, message] of messages)
      expect((await ask(method, params)).error).toEqual({ code, message });
  });

  it('answer raw JSON as it is, and nothing as null', async () => {
    expect((await ask('eth_raw')).result).toEqual([1]);
    expect((await ask('eth_nothing')).result).toBeNull();
  });
});

describe('errors', () => {
  it('of a revert carry code 3 and its data; others carry no data', async () => {
    expect((await ask('eth_revert')).error).toEqual({
      code: 3,
      message: 'execution reverted: no',
      data: '0x08',
    });
    expect((await ask('eth_refuse')).error).toEqual({ code: -32000, message: 'refused' });
    expect((await ask('eth_own')).error).toEqual({ code: -32001, message: 'mine', data: { a: 1 } });
  });

  it('of ours are logged and not told', async () => {
    const { dispatcher, logged } = dispatcherOf();
    const reply = await dispatcher.handle('{"id":1,"method":"eth_crash"}', CALLER);
    expect(reply).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"method handler crashed"}}',
    );
    expect(logged).toEqual(['RPC method failed']);
  });
});

describe('batches', () => {
  it('keep their order and leave notifications out', async () => {
    const { dispatcher } = dispatcherOf();
    const text =
      '[{"id":2,"method":"eth_psi"},{"method":"eth_psi"},5,{"id":"x","method":"eth_raw"}]';
    const replies = JSON.parse(await dispatcher.handle(text, CALLER));
    expect(replies.map((reply: any) => reply.id)).toEqual([2, null, 'x']);
    expect(await dispatcher.handle('[{"method":"eth_psi"}]', CALLER)).toBe('');
  });

  it('have as many calls as they may', async () => {
    const batch = (count: number) => `[${Array(count).fill('{"id":1,"method":"eth_psi"}')}]`;
    const { batchCallsMax } = BATCH_LIMITS;
    const { dispatcher } = dispatcherOf();
    const refused = JSON.parse(await dispatcher.handle(batch(batchCallsMax + 1), CALLER));
    const message = 'batch too large: at most 1000 calls';
    expect(refused).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
    expect(JSON.parse(await dispatcher.handle(batch(batchCallsMax), CALLER))).toHaveLength(
      batchCallsMax,
    );
  });

  it('stop filling the reply at its limit', async () => {
    const { dispatcher } = dispatcherOf();
    const count = Math.ceil(BATCH_LIMITS.batchReplyCharactersMax / (1024 * 1024)) + 5;
    const calls = Array.from({ length: count }, (_, id) => ({ id, method: 'eth_long' }));
    const replies = JSON.parse(await dispatcher.handle(JSON.stringify(calls), CALLER));
    expect(replies).toHaveLength(count);
    expect(replies.at(-1).error.message).toMatch(/ask in parts/);
    expect(replies[0].result).toHaveLength(1024 * 1024);
  });

  it('count their answers as they grow, and end with an error where there is no room', async () => {
    const { dispatcher } = dispatcherOf();
    const calls = ['long', 'psi', 'long', 'psi'].map((name, id) => ({ id, method: `eth_${name}` }));
    const taken: number[] = [];
    const room = {
      take: (bytes: number) => {
        taken.push(bytes);
        return taken.length < 3;
      },
    };
    const text = await dispatcher.reply(JSON.stringify(calls), CALLER, undefined, undefined, room);
    const replies = JSON.parse(String(text));
    expect(taken).toHaveLength(3);
    expect(taken[0]).toBeGreaterThan(1024 * 1024);
    expect(replies.map(({ result }: any) => typeof result)).toEqual([
      'string',
      'string',
      'undefined',
      'undefined',
    ]);
    expect(replies[2]).toMatchObject({
      id: 2,
      error: { message: expect.stringMatching(/unread/) },
    });
    expect(replies[3]).toMatchObject({ id: 3, error: { code: -32000 } });
  });

  it('keep short answers of calls that were carried out', async () => {
    const { dispatcher } = dispatcherOf();
    const calls = [0, 1].map((id) => ({ id, method: 'eth_psi' }));
    const full = { take: () => false };
    const text = await dispatcher.reply(JSON.stringify(calls), CALLER, undefined, undefined, full);
    const [first, second] = JSON.parse(String(text));
    expect(first.result).toBe('PS1');
    expect(second.error.message).toMatch(/unread/);
  });

  it('hold nothing for a client that has gone', async () => {
    const { dispatcher } = dispatcherOf();
    const calls = [0, 1].map((id) => ({ id, method: 'eth_long' }));
    const gone = AbortSignal.abort();
    expect(await dispatcher.reply(JSON.stringify(calls), CALLER, undefined, gone)).toBe('');
  });
});

describe('subscriptions', () => {
  const channelOf = () => {
    const sent: any[] = [];
    const channel: Channel = {
      subscriptions: new Map(),
      send: (text) => void sent.push(JSON.parse(String(text))),
    };
    return { channel, sent };
  };

  it('need a connection', async () => {
    expect((await ask('eth_subscribe', ['ticks'])).error).toEqual({
      code: -32000,
      message: 'notifications not supported',
    });
  });

  it('notify until they end', async () => {
    const { channel, sent } = channelOf();
    const id = (await ask('eth_subscribe', ['ticks', '>'], channel)).result;
    for (const listener of events) listener('one');
    expect(sent).toEqual([
      { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: id, result: '>one' } },
    ]);
    expect((await ask('eth_unsubscribe', [id], channel)).result).toBe(true);
    expect(events.size).toBe(0);
    expect((await ask('eth_unsubscribe', [id], channel)).error.message).toBe(
      'subscription not found',
    );
  });

  it('are refused in the words of GoQuorum', async () => {
    const { channel } = channelOf();
    const errors: [unknown[], number, string][] = [
      [[], -32602, 'expected subscription name as first argument'],
      [['nope'], -32601, 'no "nope" subscription in eth namespace'],
      [['ticks', 5], -32602, 'invalid argument 1: not a word'],
    ];
    for (const [params, code, message] of errors)
      expect((await ask('eth_subscribe', params, channel)).error).toEqual({ code, message });
  });

  it('of one connection are limited', async () => {
    const { channel } = channelOf();
    for (let i = 0; i < SUBSCRIPTIONS_PER_CHANNEL_MAX; i++)
      channel.subscriptions.set(String(i), () => {});
    expect((await ask('eth_subscribe', ['ticks'], channel)).error.message).toMatch(/too many/);
  });

  it('of all connections are limited, and those that end give way', async () => {
    const { dispatcher } = dispatcherOf();
    const subscribe = '{"id":1,"method":"eth_subscribe","params":["ticks"]}';
    const batch = `[${Array(1_000).fill(subscribe).join(',')}]`;
    const channels = Array.from({ length: 20 }, () => channelOf().channel);
    for (const channel of channels) await dispatcher.handle(batch, CALLER, channel);
    const { channel } = channelOf();
    const one = async () => JSON.parse(await dispatcher.handle(subscribe, CALLER, channel));
    expect((await one()).error.message).toMatch(/20000 in all/);
    for (const close of channels[0]!.subscriptions.values()) close();
    expect((await one()).error).toBeUndefined();
  });
});
