/**
 * Requests to a Quorate manager are sent in batches: requests that arrive while others are in
 * progress are sent with the next batch, and each is answered as soon as the manager has processed
 * it. A single request has Tessera's form.
 */
import { fail } from '../../core/base/errors.ts';
import { submitFailed } from './messages.ts';
import { type Transport, tracedHeaders } from './transport.ts';

const PATH = '/batch';
const MEDIA = 'application/json';
const BATCH_REQUESTS_MAX = 256;
const BATCH_CHARACTERS_MAX = 4 * 1024 * 1024;
/** While a batch has no answer yet, further requests are collected, but not for longer. */
const GATHERING_MS = 25;
const WAITING_MAX = 20_000;
const LINE_CHARACTERS_MAX = 96 * 1024 * 1024;

export type Fields = Readonly<Record<string, unknown>>;

/** `body` for JSON, `text` for other answers. */
export interface CourierAnswer {
  readonly status: number;
  readonly body?: Fields;
  readonly text?: string;
}

export interface CourierRequest {
  readonly path: string;
  readonly media: string;
  /** The request, as JSON. */
  readonly body: string;
  /** Sends the same request on its own. */
  alone(): Promise<CourierAnswer>;
}

interface Item {
  readonly request: CourierRequest;
  readonly done: (answer: CourierAnswer) => void;
  readonly failed: (error: unknown) => void;
  /** The trace that the request belongs to, as text; '': none. */
  readonly trace: string;
}

export class Courier {
  private readonly transport: Transport;
  private waiting: Item[] = [];
  private isGathering = false;
  private isDue = false;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Rejects with PTM_UNREACHABLE or PTM_BUSY. An answer with any status resolves. */
  ask(request: CourierRequest): Promise<CourierAnswer> {
    if (this.waiting.length >= WAITING_MAX) {
      const text = 'too many requests wait for the private transaction manager: try again later';
      return Promise.reject(fail('PTM_BUSY', text));
    }
    return new Promise((done, failed) => {
      this.waiting.push({ request, done, failed, trace: traceOf(request) });
      this.whenDue();
    });
  }

  /** Sends one turn later, so that all requests of this turn are in the same batch. */
  private whenDue(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      if (this.waiting.length > 0 && !this.isGathering) this.leave();
    });
  }

  private leave(): void {
    const items = this.takeBatch();
    this.isGathering = true;
    let isAnswered = false;
    const answered = (): void => {
      if (isAnswered) return;
      isAnswered = true;
      clearTimeout(timer);
      this.isGathering = false;
      if (this.waiting.length > 0) this.whenDue();
    };
    const timer = setTimeout(answered, GATHERING_MS);
    void (items.length === 1 ? carryAlone(items[0]!) : this.carry(items, answered)).finally(
      answered,
    );
  }

  private takeBatch(): Item[] {
    let count = 0;
    let characters = 0;
    while (count < this.waiting.length && count < BATCH_REQUESTS_MAX) {
      characters += this.waiting[count]!.request.body.length;
      if (count > 0 && characters > BATCH_CHARACTERS_MAX) break;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private async carry(items: readonly Item[], answered: () => void): Promise<void> {
    const open = new Set(items);
    const reader = new LineReader((line) => {
      answered();
      const { at, ...answer } = JSON.parse(line) as CourierAnswer & { readonly at: number };
      const item = items[at];
      if (!item || !open.delete(item)) throw new Error('it answers a request that was not sent');
      item.done(answer);
    });
    try {
      const requests = items.map(
        ({ request: { path, media, body }, trace }) =>
          `{"path":${JSON.stringify(path)},"media":"${media}"${trace && `,"traceparent":"${trace}"`},"body":${body}}`,
      );
      const text = `{"requests":[${requests.join()}]}`;
      const { status } = await this.transport.lines(PATH, MEDIA, text, (chunk) =>
        reader.add(chunk),
      );
      if (status !== 200) throw new Error(`it answers a batch with status ${status}`);
      if (open.size > 0) throw new Error('EOF');
    } catch (cause) {
      for (const { request, failed } of open) failed(submitFailed('POST', request.path, cause));
    }
  }
}

function traceOf({ path }: CourierRequest): string {
  return tracedHeaders(path)[0]?.[1] ?? '';
}

async function carryAlone({ request, done, failed }: Item): Promise<void> {
  try {
    done(await request.alone());
  } catch (error) {
    failed(error);
  }
}

/** Splits a stream of UTF-8 into lines. */
class LineReader {
  private readonly decoder = new TextDecoder();
  private readonly take: (line: string) => void;
  private rest = '';

  constructor(take: (line: string) => void) {
    this.take = take;
  }

  add(chunk: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split('\n');
    this.rest = lines.pop()!;
    if (this.rest.length > LINE_CHARACTERS_MAX) throw new Error('a line of it is too long');
    for (const line of lines) this.take(line);
  }
}
