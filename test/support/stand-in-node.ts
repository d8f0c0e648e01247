/** A simulated node over HTTP: it records requests, and the test decides the answers. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

export interface StandInNode {
  readonly port: number;
  readonly received: Received[];
  close(): Promise<void>;
}

/** `play` answers a JSON-RPC call; undefined: no answer, 'drop': closes the connection. */
export async function standInNode(
  play: (call: any, received: Received) => Answer | object | 'drop' | undefined,
): Promise<StandInNode> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const got = { method: request.method!, url: request.url!, headers: request.headers, body };
      received.push(got);
      const call = JSON.parse(body);
      const answer = play(call, got);
      if (answer === undefined) return;
      if (answer === 'drop') {
        request.socket.destroy();
        return;
      }
      const { status = 200, headers, body: text } = asAnswer(answer, call.id);
      response.writeHead(status, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function asAnswer(answer: Answer | object, id: unknown): Answer {
  if ('body' in answer) return answer;
  const headers = { 'content-type': 'application/json' };
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, ...answer }) };
}
