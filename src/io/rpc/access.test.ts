/** Tokens are checked for every call, also on a connection that outlives its token. */
import { expect, it } from 'vitest';
import { AccessToken } from '../../core/access/access-token.ts';
import type { Access } from './access.ts';
import { type Channel, Dispatcher } from './dispatcher.ts';
import { methodOf } from './method.ts';

const method = methodOf<string | undefined>();
const END_MS = 1_000;

function guarded(isMultitenant: boolean) {
  const time = { nowMs: 0 };
  let emit: (text: string) => void = () => {};
  const closed: string[] = [];
  const dispatcher = new Dispatcher<string | undefined>(
    {
      methods: [
        method('eth_psi', { params: [], result: {}, about: '', call: (psi) => psi ?? null }),
        method('rpc.discover', { params: [], result: {}, about: '', call: () => 'all' }),
      ],
      subscriptions: [
        {
          namespaces: ['eth'],
          kind: 'ticks',
          params: [],
          about: '',
          open: (_, __, tell) => {
            emit = tell;
            return () => closed.push('ticks');
          },
        },
      ],
    },
    {
      contextOf: ({ psi }) => psi,
      isEnabled: () => true,
      newId: () => '0x1',
      log: () => {},
      isMultitenant,
      nowMs: () => time.nowMs,
    },
  );
  const sent: string[] = [];
  const channel: Channel = { subscriptions: new Map(), send: (text) => sent.push(String(text)) };
  const ask = async (access: Access, name: string, psi?: string, params: unknown[] = []) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params });
    const caller = { transport: 'ws', psi, access, remote: '' } as const;
    const { result, error } = JSON.parse(await dispatcher.handle(text, caller, channel));
    return error ? [error.code, error.message] : result;
  };
  return { ask, time, sent, closed, channel, tick: () => emit('tick') };
}

function holder(...scopes: string[]): Access {
  return { kind: 'token', token: new AccessToken(END_MS, scopes) };
}

it('refuses calls once the token has expired', async () => {
  const { ask, time } = guarded(false);
  expect(await ask(holder('rpc://eth_*'), 'eth_psi')).toBeNull();
  time.nowMs = END_MS;
  expect(await ask(holder('rpc://eth_*'), 'eth_psi')).toEqual([-32001, 'token expired']);
});

it('ends a subscription when its token has expired, without a further word', async () => {
  const { ask, time, sent, closed, channel, tick } = guarded(false);
  await ask(holder('rpc://eth_*'), 'eth_subscribe', undefined, ['ticks']);
  tick();
  expect(sent).toHaveLength(1);
  time.nowMs = END_MS;
  tick();
  tick();
  expect(sent).toHaveLength(1);
  expect(closed).toEqual(['ticks']);
  expect(channel.subscriptions.size).toBe(0);
});

it('judges subscriptions and methods with a dot by the same scopes', async () => {
  const { ask } = guarded(false);
  const denied = (name: string) => [-32001, `${name} - access denied`];
  const narrow = holder('rpc://eth_psi');
  expect(await ask(narrow, 'eth_subscribe', undefined, ['ticks'])).toEqual(denied('eth_subscribe'));
  expect(await ask(narrow, 'eth_unsubscribe', undefined, ['0x1'])).toEqual(
    denied('eth_unsubscribe'),
  );
  expect(await ask(narrow, 'rpc.discover')).toEqual(denied('rpc_discover'));
  expect(await ask(holder('rpc://rpc_discover'), 'rpc.discover')).toBe('all');
});

it('takes the private state from the request where there are no tokens', async () => {
  const { ask } = guarded(true);
  expect(await ask({ kind: 'open' }, 'eth_psi', 'PS1')).toBe('PS1');
});

it('ignores it where there are tokens but no tenants', async () => {
  const { ask } = guarded(false);
  expect(await ask(holder('rpc://eth_*', 'psi://PS1'), 'eth_psi', 'PS1')).toBeNull();
});

it('gives tenants the states that their tokens grant', async () => {
  const { ask } = guarded(true);
  const one = holder('rpc://eth_*', 'psi://PS1?node.eoa=0x0');
  expect(await ask(one, 'eth_psi')).toBe('PS1');
  expect(await ask(one, 'eth_psi', 'PS1')).toBe('PS1');
  expect(await ask(one, 'eth_psi', 'PS2')).toEqual([-32000, 'not authorized']);
  expect(await ask(holder('rpc://eth_*'), 'eth_psi')).toEqual([
    -32000,
    'no private state identifiers found',
  ]);
  const both = holder('rpc://eth_*', 'psi://PS1', 'psi://PS2');
  expect(await ask(both, 'eth_psi')).toEqual([
    -32000,
    'found multiple authorized private state identifiers',
  ]);
  expect(await ask(both, 'eth_psi', 'PS2')).toBe('PS2');
});
