import { expect, it } from 'vitest';
import { OPEN } from './access.ts';
import { type Caller, Dispatcher } from './dispatcher.ts';
import { methodOf } from './method.ts';

const method = methodOf<undefined>();
const CALLER: Caller = { transport: 'http', psi: undefined, access: OPEN, remote: '' };

it('calls of a batch that may overlap wait together, all others for those ahead of them', async () => {
  const events: string[] = [];
  const row = (name: string, isOverlapping: boolean) =>
    method(name, {
      params: [],
      result: {},
      about: '',
      isOverlapping,
      call: async () => {
        events.push(`begin ${name}`);
        await new Promise((resolve) => setImmediate(resolve));
        events.push(`end ${name}`);
        return events.length;
      },
    });
  const dispatcher = new Dispatcher<undefined>(
    { methods: [row('a_send', true), row('a_read', false)], subscriptions: [] },
    {
      contextOf: () => undefined,
      isEnabled: () => true,
      newId: () => '0x1',
      log: () => undefined,
      isMultitenant: false,
      nowMs: () => 0,
    },
  );
  const calls = ['a_send', 'a_send', 'a_read', 'a_none', 'a_send'].map((name, id) => ({
    jsonrpc: '2.0',
    id,
    method: name,
  }));
  const replies = JSON.parse(await dispatcher.handle(JSON.stringify(calls), CALLER));
  expect(events.map((event) => event.replace(' a_', ' '))).toEqual([
    ...['begin send', 'begin send', 'end send', 'end send'],
    ...['begin read', 'end read', 'begin send', 'end send'],
  ]);
  expect(replies.map((reply: { id: number }) => reply.id)).toEqual([0, 1, 2, 3, 4]);
  expect(replies[3].error.code).toBe(-32601);
});
