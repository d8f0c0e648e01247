/**
 * Bounds on what a server takes in: connections, and bytes of bodies that are being read or worked
 * on, of each source and in all. Bodies are counted as they come: who announces much and sends
 * nothing holds nothing.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { addressBlock } from './address-block.ts';

/** A body that is smaller is counted at once. */
const SMALL_BYTES = 64 * 1024;

export interface IntakeBounds {
  readonly connectionsMax: number;
  readonly connectionsOfSourceMax: number;
  readonly bodyBytesMax: number;
  readonly bodyBytesOfSourceMax: number;
}

/** Refuses what is beyond: a connection by its end, a body with `statusCode` 429. */
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
  const bodies = new Tally();
  const held = new WeakMap<IncomingMessage, { source: string; bytes: number }>();
  const release = (raw: IncomingMessage): void => {
    const mine = held.get(raw);
    if (!mine) return;
    held.delete(raw);
    bodies.add(mine.source, -mine.bytes);
  };
  const hold = (raw: IncomingMessage, count: number): Error | undefined => {
    let mine = held.get(raw);
    if (!mine) {
      mine = { source: addressBlock(raw.socket.remoteAddress), bytes: 0 };
      held.set(raw, mine);
    }
    if (
      bodies.all + count > bounds.bodyBytesMax ||
      bodies.of(mine.source) + count > bounds.bodyBytesOfSourceMax
    ) {
      // At once, so that it is not the next one's fault.
      release(raw);
      return Object.assign(new Error('too much is being read at once: try again later'), {
        statusCode: 429,
      });
    }
    mine.bytes += count;
    bodies.add(mine.source, count);
    return undefined;
  };
  app.addHook('preParsing', async (request, reply, payload) => {
    const { raw } = request;
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    if (length === undefined && encoding === undefined) return payload;
    reply.raw.once('close', () => release(raw));
    if (length !== undefined && Number(length) <= SMALL_BYTES) {
      const refusal = hold(raw, Number(length));
      if (!refusal) return payload;
      reply.header('connection', 'close');
      throw refusal;
    }
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const refusal = hold(raw, chunk.length);
        if (refusal) reply.header('connection', 'close');
        done(refusal, chunk);
      },
    });
    // What breaks off breaks its reader off too; the server answers, or the client is gone. Not before
    // the parser listens: a refusal that nobody hears would leave the request without an answer.
    setImmediate(() => pipeline(payload, counted, () => undefined));
    return counted;
  });
}

/** Counts by source; one that is at nothing takes no place. */
class Tally {
  all = 0;
  private readonly counts = new Map<string, number>();

  of(source: string): number {
    return this.counts.get(source) ?? 0;
  }

  add(source: string, count: number): void {
    this.all += count;
    const next = this.of(source) + count;
    if (next === 0) this.counts.delete(source);
    else this.counts.set(source, next);
  }
}
