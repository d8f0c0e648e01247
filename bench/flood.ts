/**
 * Many HTTP clients at once over bare sockets, each with one request under way: the clients must
 * not be what is measured.
 */
import { connect } from 'node:net';

interface Clients {
  readonly port: number;
  readonly clients: number;
  /** Judges an answer, head and body. */
  readonly isGood: (answer: string) => boolean;
}

/** Each asks again as soon as it has its answer. */
export interface Flood extends Clients {
  /** The whole request, head and body, ASCII; undefined: this client has done its part. */
  readonly next: () => string | undefined;
}

/** They ask at this pace together, however fast the answers come. */
export interface PacedFlood extends Clients {
  readonly request: string;
  readonly perSecond: number;
  readonly forMs: number;
}

/** Resolves with all latencies in ms. Rejects with the first answer that is not good. */
export async function flood({ next, clients, ...server }: Flood): Promise<number[]> {
  const latencies: number[] = [];
  const client = async () => {
    const connection = await openConnection(server);
    for (let request = next(); request !== undefined; request = next()) {
      const since = performance.now();
      await connection.ask(request);
      latencies.push(performance.now() - since);
    }
    connection.end();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return latencies;
}

/**
 * As flood(). A latency begins when the request was due: one that waits for an answer before it,
 * or for this process, waits too.
 */
export async function pacedFlood(options: PacedFlood): Promise<number[]> {
  const { request, clients, perSecond, forMs, ...server } = options;
  const latencies: number[] = [];
  const connections = await Promise.all(
    Array.from({ length: clients }, () => openConnection(server)),
  );
  const start = performance.now();
  const count = Math.floor((forMs / 1000) * perSecond);
  const client = async (connection: Connection, first: number) => {
    for (let each = first; each < count; each += clients) {
      const dueMs = start + (each * 1000) / perSecond;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      await connection.ask(request);
      latencies.push(performance.now() - dueMs);
    }
    connection.end();
  };
  await Promise.all(connections.map(client));
  return latencies;
}

interface Connection {
  /** Resolves with the answer. One at a time. */
  ask(request: string): Promise<void>;
  end(): void;
}

function openConnection({ port, isGood }: Omit<Clients, 'clients'>): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let answered: () => void = () => {};
    let failed: (error: Error) => void = reject;
    const connection: Connection = {
      ask: (request) =>
        new Promise((done, fail) => {
          [answered, failed] = [done, fail];
          socket.write(request);
        }),
      end: () => socket.end(),
    };
    socket.setNoDelay(true);
    socket.on('connect', () => resolve(connection));
    socket.on('error', (error) => failed(error));
    socket.on('close', () => failed(new Error('the server closed a connection')));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      if (head < 0 || length === undefined || text.length < head + 4 + Number(length)) return;
      const answer = text;
      text = '';
      if (isGood(answer)) answered();
      else failed(new Error(answer));
    });
  });
}

/** An HTTP/1.1 request over a connection that stays. `headers`: lines without their end. */
export function httpRequest(
  method: 'GET' | 'POST',
  path: string,
  headers: readonly string[],
  body = '',
): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers];
  if (body !== '') lines.push(`content-length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
