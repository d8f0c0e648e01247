/** Limits of what clients have in flight: node, signing proxy, manager, staking service. */
import type { Limit } from './limit.ts';

const HTTP = { file: 'src/io/rpc/http.ts', test: 'src/io/rpc/http.service.test.ts' };
const BODY = { file: 'src/io/http/body.ts', test: HTTP.test };
const BUDGET = {
  file: 'src/core/base/byte-budget.ts',
  test: 'src/core/base/byte-budget.test.ts',
};
const FLOW = { file: 'src/io/http/flow.ts', test: 'src/io/http/flow.test.ts' };
const SOCKETS = 'src/io/rpc/connections.service.test.ts';
const DISPATCHER = { file: 'src/io/rpc/dispatcher.ts', test: 'src/io/rpc/dispatcher.test.ts' };
const ENVELOPE = { file: 'src/io/rpc/envelope.ts', test: 'src/io/rpc/envelope.test.ts' };
const INTAKE = { file: 'src/io/http/intake.ts', test: 'src/io/http/intake.service.test.ts' };
const SIGNER = {
  file: 'src/services/signer/serve.ts',
  test: 'src/services/signer/start.service.test.ts',
};

export const DOOR_LIMITS: readonly Limit[] = [
  {
    ...HTTP,
    name: 'body of a request, announced',
    on: 'if (length > HTTP_BODY_BYTES_MAX) {',
    off: 'if (length > Number.POSITIVE_INFINITY) {',
    only: 'too long without reading',
  },
  {
    ...BODY,
    name: 'body of a request, as it comes',
    on: "if (length > bytesMax) refuse('large');",
    off: "if (length > Number.POSITIVE_INFINITY) refuse('large');",
    only: 'cuts a body of unknown length',
  },
  {
    ...HTTP,
    name: 'body of a caller whose token is refused',
    on: "access.kind === 'refused' ? REFUSED_BODY_BYTES_MAX : HTTP_BODY_BYTES_MAX",
    off: 'HTTP_BODY_BYTES_MAX',
    only: 'judges the token',
  },
  {
    ...BODY,
    name: 'bodies in flight',
    on: "else if (!holding.take(chunk.length)) refuse('busy');",
    off: '',
    only: 'counts bodies while they come',
  },
  {
    ...HTTP,
    name: 'requests in flight',
    on: 'if (!held.take(REQUEST_OVERHEAD_BYTES)) return plain(response, 503, TOO_MUCH);',
    off: '',
    only: 'besides its body',
  },
  {
    ...BUDGET,
    name: 'bytes in flight of all',
    on: 'this.total + count <= all && ',
    off: '',
  },
  {
    ...BUDGET,
    name: 'bytes in flight of one source',
    on: '(this.bySource.get(source) ?? 0) + count <= ofSource;',
    off: 'ofSource > 0;',
  },
  {
    ...BUDGET,
    name: 'who holds the most is ended first',
    on: '|| each.bytes > most.bytes) most = each;',
    off: ') most = each;',
  },
  {
    ...HTTP,
    name: 'answers that nobody takes, in time',
    on: 'response.setTimeout(options.traffic.stallMs, () => response.destroy());',
    off: '',
    only: 'cuts off who takes nothing',
  },
  {
    ...HTTP,
    name: 'answers that nobody takes, in bytes',
    on: 'unsent.relieve();',
    off: '',
    only: 'looks after each answer',
  },
  {
    ...FLOW,
    name: 'calls that wait on a connection',
    on: 'this.calls >= CALLS_MAX ||',
    off: '',
  },
  {
    ...FLOW,
    name: 'bytes that wait on a connection',
    on: 'this.waitingBytes >= WAITING_BYTES_MAX ||',
    off: '',
  },
  {
    ...FLOW,
    name: 'bytes that a connection has not taken',
    on: 'this.waitingBytes >= WAITING_BYTES_MAX ||\n      this.unsent.bytes > UNSENT_BYTES_MAX;',
    off: 'this.waitingBytes >= WAITING_BYTES_MAX;',
  },
  {
    ...FLOW,
    name: 'notifications that a connection has not taken',
    on: 'if (this.noticeBytes > NOTICE_BYTES_MAX) this.end();',
    off: '',
  },
  {
    ...FLOW,
    name: 'bytes of messages that are being read',
    on: 'if (!this.isOver && !this.requests.take(bytes)) this.end();',
    off: '',
  },
  {
    ...FLOW,
    name: 'a connection that takes nothing',
    on: 'if (this.unsent.bytes > 0) this.end();',
    off: '',
  },
  {
    ...FLOW,
    name: 'bytes that all connections have not taken',
    on: 'this.traffic.unsent.relieve();',
    off: '',
  },
  {
    name: 'unread WebSocket: no further call is begun',
    file: 'src/io/rpc/conversation.ts',
    on: 'await this.flow.drained();',
    off: '',
    test: SOCKETS,
    only: 'gets no more of its calls',
  },
  {
    name: 'unread WebSocket: it is cut off',
    file: 'src/io/rpc/websocket.ts',
    on: 'raw.setTimeout(traffic.stallMs, () => conversation.stalled());',
    off: '',
    test: SOCKETS,
    only: 'WebSocket a client that does not read gets',
  },
  {
    name: 'WebSocket: frames count while they come',
    file: 'src/io/rpc/websocket.ts',
    on: "raw.prependListener('data', (bytes: Buffer) => conversation.arrived(bytes.length));",
    off: '',
    test: SOCKETS,
    only: 'messages that never end',
  },
  {
    name: 'unread IPC: it is cut off',
    file: 'src/io/rpc/ipc.ts',
    on: 'socket.setTimeout(traffic.stallMs, () => conversation.stalled());',
    off: '',
    test: SOCKETS,
    only: 'IPC a client that does not read',
  },
  {
    name: 'IPC: values count while they come',
    file: 'src/io/rpc/ipc.ts',
    on: 'conversation.arrived(text.length);',
    off: '',
    test: SOCKETS,
    only: 'a value that never ends',
  },
  {
    name: 'IPC: one value',
    file: 'src/io/rpc/json-splitter.ts',
    on: 'this.pending.length > UNFINISHED_CHARACTERS_MAX ? undefined : values',
    off: 'UNFINISHED_CHARACTERS_MAX < 0 ? undefined : values',
    test: 'src/io/rpc/json-splitter.property.test.ts',
  },
  {
    ...ENVELOPE,
    name: 'calls of a batch',
    on: 'if (value.length > BATCH_CALLS_MAX)',
    off: 'if (value.length > Number.POSITIVE_INFINITY)',
  },
  {
    ...ENVELOPE,
    name: 'values of a request',
    on: "if (hasTooManyValues(text)) return { kind: 'tooIntricate' };",
    off: 'hasTooManyValues;',
  },
  {
    ...DISPATCHER,
    name: 'answer to a batch',
    on: 'if (length > BATCH_REPLY_CHARACTERS_MAX) {',
    off: 'if (length > Number.POSITIVE_INFINITY) {',
  },
  {
    ...DISPATCHER,
    name: 'subscriptions of a connection',
    on: 'if (channel.subscriptions.size >= SUBSCRIPTIONS_PER_CHANNEL_MAX) {',
    off: 'if (channel.subscriptions.size < 0) {',
  },
  {
    ...DISPATCHER,
    name: 'subscriptions of all',
    on: 'if (this.openSubscriptions >= SUBSCRIPTIONS_MAX)',
    off: 'if (this.openSubscriptions < 0)',
  },
  {
    ...INTAKE,
    name: 'manager: connections of one source',
    on: 'connections.of(source) >= bounds.connectionsOfSourceMax',
    off: 'connections.of(source) < 0',
  },
  {
    ...INTAKE,
    name: 'manager, staking: bodies as they come',
    on: 'done(held.take(chunk.length) ? undefined : refuse(), chunk),',
    off: 'done(undefined, chunk),',
  },
  {
    name: 'a server that names no bounds',
    file: 'src/io/http/server.ts',
    on: 'boundIntake(app, options.intake ?? INTAKE);',
    off: 'if (options.intake) boundIntake(app, options.intake ?? INTAKE);',
    test: INTAKE.test,
    only: 'names no bounds',
  },
  {
    name: 'manager: keys of one URL that are tried',
    file: 'src/services/ptm/manager/key-challenge.ts',
    on: 'due.slice(0, KEYS_TRIED_MAX)',
    off: 'due.slice(0, due.length + KEYS_TRIED_MAX)',
    test: 'src/services/ptm/manager/key-challenge.test.ts',
  },
  {
    name: 'manager: keys that were not proven, in a row',
    file: 'src/services/ptm/manager/key-challenge.ts',
    on: 'if (refusals === REFUSALS_MAX) break;',
    off: 'if (refusals < 0) break;',
    test: 'src/services/ptm/manager/key-challenge.test.ts',
  },
  {
    name: 'manager: a key that was not proven, again',
    file: 'src/services/ptm/manager/key-challenge.ts',
    on: "if (outcome === 'refused') this.refuse(url, key);",
    off: '',
    test: 'src/services/ptm/manager/key-challenge.test.ts',
  },
  {
    name: 'manager: what each source may have',
    file: 'src/services/ptm/manager/source-budget.ts',
    on: 'hasRoom(source: string): boolean {',
    off: 'hasRoom(source: string): boolean {\n    if (source.length >= 0) return true;',
    test: 'src/services/ptm/manager/source-budget.test.ts',
  },
  {
    ...SIGNER,
    name: 'signing proxy: requests in flight',
    on: 'const held = requests.open(',
    off: 'const held = new requests.constructor({ all: 1e12, ofSource: 1e12 }).open(',
    only: 'counts bodies while they come',
  },
  {
    ...SIGNER,
    name: 'signing proxy: who asks is judged first',
    on: 'if (identity && isRefusal(identity)) {\n      response',
    off: 'if (identity && isRefusal(identity)) {\n      await readBody(request, held, 1e9);\n      response',
    only: 'judges who asks',
  },
  {
    ...SIGNER,
    name: 'signing proxy: answers that nobody takes',
    on: 'response.setTimeout(traffic.stallMs, () => response.destroy());',
    off: '',
    only: 'takes nothing of their answer',
  },
  {
    name: 'signing proxy: unread WebSocket',
    file: 'src/services/signer/websocket.ts',
    on: 'socket.setTimeout(options.traffic.stallMs, () => this.flow.stalled());',
    off: '',
    test: SIGNER.test,
    only: 'does not take what the node tells',
  },
];
