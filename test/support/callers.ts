/** One JSON-RPC conversation over each transport that a node serves. */
import { connect } from 'node:net';
import { WebSocket } from 'ws';

export interface Conversation {
  readonly transport: string;
  /** Everything received so far, including notifications. */
  readonly heard: readonly string[];
  /** Resolves with the text of the response. */
  ask(method: string, params: readonly unknown[]): Promise<string>;
  close(): void;
}

export type Headers = Readonly<Record<string, string>>;

export function overHttp(url: string, headers: Headers = {}): Conversation {
  const heard: string[] = [];
  return {
    transport: 'http',
    heard,
    async ask(method, params) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const text = await response.text();
      heard.push(text);
      return text;
    },
    close: () => {},
  };
}

export async function overWebSocket(url: string, headers: Headers = {}): Promise<Conversation> {
  const socket = new WebSocket(url, { headers });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const talk = conversation(
    'ws',
    (text) => socket.send(text),
    () => socket.terminate(),
  );
  socket.on('message', (bytes) => talk.take(bytes.toString()));
  return talk;
}

export async function overIpc(path: string): Promise<Conversation> {
  const socket = connect(path);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.setEncoding('utf8');
  const talk = conversation(
    'ipc',
    (text) => socket.write(text),
    () => socket.destroy(),
  );
  let rest = '';
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) talk.take(line);
  });
  return talk;
}

function conversation(
  transport: string,
  send: (text: string) => void,
  close: () => void,
): Conversation & { take(text: string): void } {
  const heard: string[] = [];
  const waiting = new Map<number, (text: string) => void>();
  let ids = 0;
  return {
    transport,
    heard,
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = ++ids;
        waiting.set(id, resolve);
        send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    take(text) {
      heard.push(text);
      const { id } = JSON.parse(text);
      waiting.get(id)?.(text);
      waiting.delete(id);
    },
    close,
  };
}
