/**
 * A lean JSON-RPC client: prepared requests over kept connections, so that the client's own work
 * adds little to the measured time.
 */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** A whole HTTP request, ready to be written. */
export function prepared(url: string, method: string, params: readonly unknown[]): Buffer {
  const { host } = new URL(url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const head = [
    'POST / HTTP/1.1',
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** One kept connection, which carries one request at a time. */
export class RpcConnection {
  private readonly socket: Socket;
  private received: Buffer[] = [];
  private bytes = 0;
  private isEnd: ((all: readonly Buffer[], bytes: number) => boolean) | undefined;
  private resolve: ((answer: string) => void) | undefined;
  private reject: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('error', (error) => this.reject?.(error));
    socket.on('close', () => this.reject?.(new Error('the node closed the connection')));
  }

  static open(url: string): Promise<RpcConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new RpcConnection(socket)));
    });
  }

  /** Resolves with the whole response: head and body. */
  ask(request: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.socket.write(request);
    });
  }

  close(): void {
    this.reject = undefined;
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received.push(chunk);
    this.bytes += chunk.length;
    this.isEnd ??= endOf(Buffer.concat(this.received));
    if (!this.isEnd?.(this.received, this.bytes)) return;
    const answer = Buffer.concat(this.received).toString('latin1');
    this.received = [];
    this.bytes = 0;
    this.isEnd = undefined;
    this.resolve?.(answer);
  }
}

/** A test for the end of a response whose head is complete. */
function endOf(start: Buffer): RpcConnection['isEnd'] {
  const at = start.indexOf(HEAD_END);
  if (at < 0) return undefined;
  const head = start.toString('latin1', 0, at);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (length !== undefined) {
    const whole = at + HEAD_END.length + Number(length);
    return (_, bytes) => bytes >= whole;
  }
  return (all) => Buffer.concat(all.slice(-2)).subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
}

/** The JSON of a response. Throws unless the status is 200 and there is a result. */
export function resultOf(response: string): unknown {
  const at = response.indexOf('\r\n\r\n');
  const head = response.slice(0, at);
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head);
  const text = response.slice(at + HEAD_END.length);
  const body = /^transfer-encoding: chunked$/im.test(head) ? joined(text) : text;
  const reply = JSON.parse(body) as { result?: unknown; error?: { message: string } };
  if (reply.error) throw new Error(reply.error.message);
  return reply.result;
}

function joined(chunks: string): string {
  let out = '';
  for (let at = 0; ; ) {
    const lineEnd = chunks.indexOf('\r\n', at);
    const size = Number.parseInt(chunks.slice(at, lineEnd), 16);
    if (size === 0) return out;
    out += chunks.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}
