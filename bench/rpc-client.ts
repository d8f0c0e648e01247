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

/** Of one read, and of an answer; the latter grows. */
const READ_BYTES = 64 * 1024;

/**
 * One kept connection, which carries one request at a time. It reads into the same memory again and
 * again: what a client has to collect as garbage while it waits would be measured as the node's.
 */
export class RpcConnection {
  private readonly socket: Socket;
  private received = Buffer.alloc(READ_BYTES);
  private length = 0;
  private isEnd: ((received: Buffer) => boolean) | undefined;
  private resolve: ((answer: Buffer) => void) | undefined;
  private reject: ((error: Error) => void) | undefined;

  private constructor(url: string, onConnect: () => void) {
    const { hostname, port } = new URL(url);
    const callback = (count: number, bytes: Uint8Array) => this.take(bytes.subarray(0, count));
    const onread = { buffer: Buffer.alloc(READ_BYTES), callback };
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true, onread }, onConnect);
    this.socket.on('error', (error) => this.reject?.(error));
    this.socket.on('close', () => this.reject?.(new Error('the node closed the connection')));
  }

  static open(url: string): Promise<RpcConnection> {
    return new Promise((resolve, reject) => {
      const connection = new RpcConnection(url, () => resolve(connection));
      connection.reject = reject;
    });
  }

  /** Resolves with the whole response, head and body, which the next one overwrites. */
  ask(request: Buffer): Promise<Buffer> {
    this.length = 0;
    this.isEnd = undefined;
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

  private take(chunk: Uint8Array): boolean {
    const end = this.length + chunk.length;
    if (end > this.received.length) {
      this.received = Buffer.concat([this.received.subarray(0, this.length)], 2 * end);
    }
    this.received.set(chunk, this.length);
    this.length = end;
    const answer = this.received.subarray(0, end);
    this.isEnd ??= endOf(answer);
    if (this.isEnd?.(answer)) this.resolve?.(answer);
    return true;
  }
}

/** A test for the end of a response whose head is complete. */
function endOf(start: Buffer): RpcConnection['isEnd'] {
  const at = start.indexOf(HEAD_END);
  if (at < 0) return undefined;
  const length = /^content-length: (\d+)$/im.exec(start.toString('latin1', 0, at))?.[1];
  if (length === undefined) {
    return (received) => received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }
  const whole = at + HEAD_END.length + Number(length);
  return (received) => received.length >= whole;
}

/** The body as it came, with the blank line before it. */
export function bodyOf(response: Buffer): Buffer {
  return response.subarray(response.indexOf(HEAD_END));
}

/** The JSON of a response. Throws unless the status is 200 and there is a result. */
export function resultOf(response: Buffer): unknown {
  const at = response.indexOf(HEAD_END);
  const head = response.toString('latin1', 0, at);
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head);
  const text = response.toString('latin1', at + HEAD_END.length);
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
