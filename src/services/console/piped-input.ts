/** Lines from a file or another program. */
import { readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type InputLine, type LineInput, LineQueue } from './line-input.ts';

const RETRY_MS = 10;

export class PipedInput implements LineInput {
  private readonly input: Readable & { readonly fd?: number };
  private readonly write: (text: string) => void;
  private readonly queue = new LineQueue();
  private readonly decoder = new StringDecoder('utf8');
  private readonly lines: string[] = [];
  private rest = '';
  private isEnded = false;
  private isTold = false;
  private hasWarned = false;

  constructor(input: Readable & { readonly fd?: number }, write: (text: string) => void) {
    this.input = input;
    this.write = write;
    input.on('data', (bytes: Buffer) => {
      this.take(this.decoder.write(bytes));
      this.tell();
    });
    input.on('end', () => {
      this.end();
      this.tell();
    });
  }

  read(prompt: string): Promise<InputLine> {
    this.write(`${prompt}\n`);
    this.isTold = false;
    this.tell();
    return this.queue.take();
  }

  askSecret(label: string): string | undefined {
    if (!this.hasWarned) this.write('!! Unsupported terminal, password will be echoed.\n');
    this.hasWarned = true;
    this.write(`${label}\n`);
    while (this.lines.length === 0 && !this.isEnded) this.readNow();
    return this.lines.shift();
  }

  guarded<T>(run: () => T): T {
    return run();
  }

  close(): void {
    this.input.destroy();
  }

  /** Passes on one line for each read. */
  private tell(): void {
    if (this.isTold || (this.lines.length === 0 && !this.isEnded)) return;
    this.isTold = true;
    const line = this.lines.shift();
    this.queue.put(line === undefined ? undefined : { line });
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!;
    this.lines.push(...lines.map((line) => line.replace(/\r$/, '')));
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (this.rest !== '') this.lines.push(this.rest);
    this.rest = '';
  }

  /** Reads directly, because the stream delivers nothing while a script waits. */
  private readNow(): void {
    const piece = Buffer.alloc(4096);
    try {
      const size = readSync(this.input.fd ?? 0, piece);
      if (size === 0) this.end();
      else this.take(this.decoder.write(piece.subarray(0, size)));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EOF') this.end();
      else if (code !== 'EAGAIN') throw error;
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
