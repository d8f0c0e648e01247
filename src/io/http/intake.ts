/**
 * Bounds on what a server accepts: connections, and bytes of bodies being read or processed, per
 * source and in total. Bodies are counted as they arrive, so announcing a large body reserves
 * nothing.
 */
import type { Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ByteBudget } from '../../core/base/byte-budget.ts';
import { addressBlock } from './address-block.ts';

/** Bodies whose announced length is at most this are counted as a whole. */
const SMALL_BYTES = 64 * 1024;

export interface IntakeBounds {
  readonly connectionsMax: number;
  readonly connectionsOfSourceMax: number;
  readonly bodyBytesMax: number;
  readonly bodyBytesOfSourceMax: number;
}

const MB = 1024 * 1024;
/** Bounds of a server without its own: all its clients may share one address. */
export const INTAKE: IntakeBounds = {
  connectionsMax: 10_000,
  connectionsOfSourceMax: 10_000,
  bodyBytesMax: 256 * MB,
  bodyBytesOfSourceMax: 256 * MB,
};

/** Bounds of a service with small requests: a proxy in front of it counts as one source. */
export const API_INTAKE: IntakeBounds = {
  connectionsMax: 4096,
  connectionsOfSourceMax: 4096,
  bodyBytesMax: 64 * MB,
  bodyBytesOfSourceMax: 64 * MB,
};

/** Refuses what exceeds the bounds: closes a connection, answers a body with `statusCode` 429. */
export function boundIntake(app: FastifyInstance, bounds: IntakeBounds): void {
  app.server.maxConnections = bounds.connectionsMax;
  const connections = new Tally();
  app.server.on('connection', (socket: Socket) => {
    const source = addressBlock(socket.remoteAddress);
    if (connections.of(source) >= bounds.connectionsOfSourceMax) {
      socket.destroy();
      return;
    }
    connections.add(source, 1);
    socket.once('close', () => connections.add(source, -1));
  });
  const bodies = new ByteBudget({
    all: bounds.bodyBytesMax,
    ofSource: bounds.bodyBytesOfSourceMax,
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    const { raw } = request;
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    if (length === undefined && encoding === undefined) return payload;
    const held = bodies.open(addressBlock(raw.socket.remoteAddress));
    reply.raw.once('close', () => held.release());
    const refuse = () => {
      // Released now, so that the next request is not refused because of this one.
      held.release();
      reply.header('connection', 'close');
      return Object.assign(new Error('too much is being read at once: try again later'), {
        statusCode: 429,
      });
    };
    if (length !== undefined && Number(length) <= SMALL_BYTES) {
      if (held.take(Number(length))) return payload;
      throw refuse();
    }
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) =>
        done(held.take(chunk.length) ? undefined : refuse(), chunk),
    });
    // An aborted body also aborts its reader; the server answers, or the client is gone. The
    // pipeline starts after the parser listens: an earlier error would leave the request without
    // an answer.
    setImmediate(() => pipeline(payload, counted, () => undefined));
    return counted;
  });
}

/** Number of connections by source; a source without any is removed. */
class Tally {
  private readonly counts = new Map<string, number>();

  of(source: string): number {
    return this.counts.get(source) ?? 0;
  }

  add(source: string, count: number): void {
    const next = this.of(source) + count;
    if (next === 0) this.counts.delete(source);
    else this.counts.set(source, next);
  }
}
