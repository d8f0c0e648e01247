/** JSON-RPC over a WebSocket. */
import { WebSocket } from 'ws';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { Asked } from './asked.ts';
import { tlsOptions } from './http-wire.ts';
import { DIAL_MS, headersOf, REPLY_BYTES_MAX, type RpcWire, type WireOptions } from './wire.ts';

export class WebSocketWire implements RpcWire {
  private readonly url: URL;
  private readonly options: WireOptions;
  private readonly asked = new Asked();
  private socket: Promise<WebSocket> | undefined;

  constructor(url: URL, options: WireOptions) {
    this.url = url;
    this.options = options;
  }

  async ask(request: string): Promise<string> {
    this.socket ??= this.connect();
    const socket = await this.socket;
    const reply = this.asked.wait(request);
    socket.send(request);
    return reply;
  }

  close(): void {
    void this.socket?.then((socket) => socket.terminate()).catch(() => {});
  }

  private connect(): Promise<WebSocket> {
    const socket = new WebSocket(this.url, {
      handshakeTimeout: DIAL_MS,
      maxPayload: REPLY_BYTES_MAX,
      headers: Object.fromEntries(headersOf(this.options)),
      ...(this.options.tls ? tlsOptions(this.options.tls) : {}),
    });
    socket.on('message', (data) => this.asked.arrived(data.toString()));
    return new Promise((resolve, reject) => {
      let why = 'the connection was closed';
      socket.on('open', () => resolve(socket));
      socket.on('error', (error) => {
        why = reasonOf(error);
      });
      socket.on('close', () => {
        this.socket = undefined;
        this.asked.failed(why);
        reject(fail('RPC_AWAY', `dial ${this.url.href}: ${why}`));
      });
    });
  }
}
