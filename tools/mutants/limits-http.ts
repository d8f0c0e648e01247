/** Limits of a node's requests over HTTP. */
import type { Limit } from './limit.ts';

const HTTP = { file: 'src/io/rpc/http.ts', test: 'src/io/rpc/http.service.test.ts' };
const FAST = { file: 'src/io/rpc/fast-path.ts', test: HTTP.test };
const BODY = { file: 'src/io/http/body.ts', test: HTTP.test };

export const HTTP_LIMITS: readonly Limit[] = [
  {
    ...HTTP,
    name: 'a request that comes slowly',
    on: 'requestTimeout: requestMs, headersTimeout: requestMs,',
    off: 'requestTimeout: 1_000 * requestMs, headersTimeout: 1_000 * requestMs,',
    only: 'is not complete in time',
  },
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
    name: 'HTTP connections',
    on: 'server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;',
    off: '',
    only: 'so many connections',
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
    ...HTTP,
    name: 'unread answers, in time',
    on: 'response.setTimeout(options.traffic.stallMs, () => response.destroy());',
    off: '',
    only: 'cuts off clients that do not read',
  },
  {
    ...HTTP,
    name: 'unread answers, in bytes',
    on: 'unsent.relieve();',
    off: '',
    only: 'looks after each answer',
  },
  {
    ...FAST,
    name: 'unread answers of plain calls, in time',
    on: 'this.socket.setTimeout(this.parts.traffic.stallMs);',
    off: '',
    only: 'cuts off clients that do not read',
  },
  {
    ...FAST,
    name: 'unread answers of plain calls, in bytes',
    on: 'this.parts.traffic.unsent.relieve();',
    off: '',
    only: 'looks after each answer',
  },
  {
    ...FAST,
    name: 'plain calls in flight',
    on: '!this.request.take(chunk.length + REQUEST_OVERHEAD_BYTES)',
    off: 'false',
    only: 'besides its body',
  },
  {
    ...FAST,
    name: 'plain calls: answers to batches, as they grow',
    on: 'this.gone, this.room)',
    off: 'this.gone)',
    only: 'counts the answers of batches',
  },
  {
    name: 'connections without a call',
    file: FAST.file,
    on: 'if (!this.isBusy || this.unsent.bytes > 0) this.destroy();',
    off: 'if (this.unsent.bytes > 0) this.destroy();',
    test: 'src/io/rpc/fast-path.service.test.ts',
    only: 'no call for too long',
  },
  {
    ...HTTP,
    name: 'HTTP: answers to batches, as they grow',
    on: 'undefined, gone, room)',
    off: 'undefined, gone)',
    only: 'counts the answers of batches',
  },
];
