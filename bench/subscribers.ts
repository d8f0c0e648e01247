/** Many WebSocket connections of one node, each with a subscription to new heads. */
import { WebSocket } from 'ws';
import { until } from './processes.ts';

const PATIENCE_MS = 60_000;
/** Connections that are opened at the same time. */
const OPENING_MAX = 50;

export interface Heads {
  /** For each block and subscriber: ms after the first subscriber heard of the block. */
  readonly delaysMs: readonly number[];
  readonly blocks: number;
}

export class Subscribers {
  private readonly sockets: WebSocket[] = [];
  private readonly arrivals = new Map<string, number[]>();

  static async open(url: string, count: number): Promise<Subscribers> {
    const all = new Subscribers();
    let left = count;
    const opener = async () => {
      while (left-- > 0) await all.add(url);
    };
    await Promise.all(Array.from({ length: OPENING_MAX }, opener));
    return all;
  }

  /** Forgets what has arrived, and resolves when all have heard of so many further blocks. */
  async follow(blocks: number): Promise<Heads> {
    this.arrivals.clear();
    const whole = () =>
      [...this.arrivals.values()].filter((times) => times.length === this.sockets.length);
    await until(
      `all subscribers hear of ${blocks} blocks`,
      async () => whole().length >= blocks,
      PATIENCE_MS,
    );
    const times = whole();
    return {
      blocks: times.length,
      delaysMs: times.flatMap((each) => each.map((ms) => ms - each[0]!)),
    };
  }

  close(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  private add(url: string): Promise<void> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    this.sockets.push(socket);
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('open', () =>
        socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'),
      );
      socket.on('message', (data: Buffer) => {
        const text = data.toString('latin1');
        const hash = /"hash":"(0x[0-9a-f]{64})"/.exec(text)?.[1];
        if (hash !== undefined) this.note(hash);
        else if (/"result":"0x/.test(text)) resolve();
        else reject(new Error(text));
      });
    });
  }

  private note(hash: string): void {
    const times = this.arrivals.get(hash);
    if (times) times.push(performance.now());
    else this.arrivals.set(hash, [performance.now()]);
  }
}
