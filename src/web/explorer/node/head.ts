/** The newest block's number, live: over WebSocket if available, otherwise by polling. */
import type { Rpc } from './rpc.ts';
import type { Head } from './types.ts';

const POLL_MS = 1_000;
/** A socket does not report a lost network. */
const CHECK_MS = 4_000;
const RETRY_MS = 3_000;

export interface HeadState {
  /** undefined: not known yet. */
  readonly number: number | undefined;
  readonly isReachable: boolean;
  readonly isLive: boolean;
}

/** `ws`: a URL, or a path on the page's own server. Returns a function that stops watching. */
export function watchHead(
  rpc: Rpc,
  ws: string | undefined,
  tell: (state: HeadState) => void,
): () => void {
  let isOver = false;
  let isLive = false;
  let number: number | undefined;
  let timer: ReturnType<typeof setTimeout>;
  let socket: WebSocket | undefined;
  let isReachable = true;
  const say = (isAnswered: boolean) => {
    isReachable = isAnswered;
    if (!isOver) tell({ number, isReachable, isLive });
  };
  const ask = async () => {
    try {
      number = Number(await rpc.call<string>('eth_blockNumber'));
      say(true);
    } catch {
      say(false);
    }
  };
  const poll = async () => {
    await ask();
    if (!isOver) timer = setTimeout(poll, isLive && isReachable ? CHECK_MS : POLL_MS);
  };
  const connect = () => {
    if (isOver || ws === undefined) return;
    socket = new WebSocket(absolute(ws));
    socket.onopen = () =>
      socket?.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as {
        readonly id?: number;
        readonly error?: unknown;
        readonly params?: { readonly result: Head };
      };
      if (message.id !== undefined) {
        isLive = message.error === undefined;
        void ask();
        return;
      }
      number = Number(message.params?.result.number);
      say(true);
    };
    socket.onclose = () => {
      isLive = false;
      if (!isOver) setTimeout(connect, RETRY_MS);
    };
  };
  void poll();
  connect();
  return () => {
    isOver = true;
    clearTimeout(timer);
    socket?.close();
  };
}

function absolute(ws: string): string {
  return ws.startsWith('/') ? `${location.origin.replace(/^http/, 'ws')}${ws}` : ws;
}
