import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { MESSAGE_TYPE, raftMessage } from '../../core/consensus/raft/messages.ts';
import { MemberLink } from './member-link.ts';

const MB = 1024 * 1024;

it('a member that does not read is taken for unreachable, and sent nothing until it does', () => {
  const unreachable: number[] = [];
  const link = new MemberLink(
    {
      local: 1,
      remote: 2,
      url: 'http://127.0.0.1:1',
      log: () => undefined,
      ownUrl: () => undefined,
      received: () => undefined,
      unreachable: (id) => unreachable.push(id),
      snapshotSent: () => undefined,
    },
    false,
  );
  let written = 0;
  const response = { writableLength: 0, on: () => response, end: () => undefined };
  const stream = Object.assign(response, { write: () => written++ });
  link.attach('message', stream as unknown as ServerResponse);
  const message = raftMessage({ type: MESSAGE_TYPE.vote, from: 1, to: 2, term: 1 });
  link.send(message);
  response.writableLength = 64 * MB;
  link.send(message);
  expect([written, unreachable]).toEqual([2, []]);
  response.writableLength = 64 * MB + 1;
  link.send(message);
  expect([written, unreachable]).toEqual([2, [2]]);
  link.stop();
});
