/** JSON-RPC over a unix socket. The private state is written before each id: `"<psi>/<n>"`. */
import { connect, type Socket } from 'node:net';
import { fail } from '../../core/base/errors.ts';
import { JsonSplitter } from '../../core/base/json-splitter.ts';
import { reasonOf } from '../host/reason.ts';
import { Asked } from './asked.ts';
import { REPLY_BYTES_MAX, type RpcWire, type WireOptions } from './wire.ts';

interface Message {
  id?: unknown;
}

export class IpcWire implements RpcWire {
  private readonly path: string;
  private readonly psi: string | undefined;
  private readonly asked = new Asked();
  private socket: Promise<Socket> | undefined;

  constructor(path: string, { psi }: WireOptions) {
    this.path = path;
    this.psi = psi;
  }

  async ask(request: string): Promise<string> {
    this.socket ??= this.connect();
    const socket = await this.socket;
    const named = this.named(request);
    const reply = this.asked.wait(named);
    socket.write(named);
    return this.unnamed(await reply);
  }

  close(): void {
    void this.socket?.then((socket) => socket.destroy()).catch(() => {});
  }

  private named(request: string): string {
    return this.psi === undefined ? request : mapIds(request, (id) => `${this.psi}/${id}`);
  }

  private unnamed(reply: string): string {
    if (this.psi === undefined) return reply;
    return mapIds(reply, (id) => Number(String(id).slice(String(this.psi).length + 1)));
  }

  private connect(): Promise<Socket> {
    const socket = connect(this.path);
    const splitter = new JsonSplitter(REPLY_BYTES_MAX);
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      const messages = splitter.push(text);
      if (messages === undefined) socket.destroy(new Error('the reply is too large'));
      else for (const message of messages) this.asked.arrived(message);
    });
    return new Promise((resolve, reject) => {
      let why = 'the connection was closed';
      socket.on('connect', () => resolve(socket));
      socket.on('error', (error) => {
        why = reasonOf(error);
      });
      socket.on('close', () => {
        this.socket = undefined;
        this.asked.failed(why);
        reject(fail('RPC_AWAY', `dial unix ${this.path}: ${why}`));
      });
    });
  }
}

function mapIds(text: string, change: (id: unknown) => unknown): string {
  const message = JSON.parse(text) as Message | Message[];
  const one = (each: Message): Message => ({ ...each, id: change(each.id) });
  return JSON.stringify(Array.isArray(message) ? message.map(one) : one(message));
}
