/**
 * Many HTTP clients over bare sockets, each with one request at a time: cheap, so that the clients
 * are not what is measured.
 */
import { connect } from 'node:net';

interface Clients {
  readonly port: number;
  readonly clients: number;
  /** Checks an answer, head and body. */
  readonly isGood: (answer: string) => boolean;
}

/** Each client sends the next request as soon as it has its answer. */
export interface Flood extends Clients {
  /** The whole request, head and body, in ASCII; undefined: this client is done. */
  readonly next: () => string | undefined;
}

/** All clients together send at this pace, however fast the answers come. */
export interface PacedFlood extends Clients {
  readonly request: string;
  readonly perSecond: number;
  readonly forMs: number;
}

/** Resolves with all latencies in ms. Rejects at the first bad answer. */
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
 * Like flood(), but a latency counts from when the request was due, including the wait for an
 * earlier answer or for this process.
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
  /** Resolves with the answer. One request at a time. */
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

/** An HTTP/1.1 request over a connection that stays open. `headers`: lines without their ends. */
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
