/** Posts JSON to one URL and reads JSON, within bounds of time and bytes. */
import { HttpClient } from '../http/http-client.ts';

const DIAL_MS = 3_000;

export interface JsonPostBounds {
  readonly answerMs: number;
  readonly answerBytesMax: number;
}

export class JsonPost {
  readonly url: URL;
  private readonly client: HttpClient;

  constructor(url: string, { answerMs, answerBytesMax }: JsonPostBounds) {
    this.url = new URL(url);
    this.client = new HttpClient({
      dialTimeoutMs: DIAL_MS,
      timeoutMs: answerMs,
      idleTimeoutMs: answerMs,
      responseBytesMax: answerBytesMax,
    });
  }

  /** Rejects when there is no answer in time, or one that is not JSON. */
  async send(value: unknown): Promise<unknown> {
    const body = Buffer.from(JSON.stringify(value));
    const headers = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ] as const;
    const answer = await this.client.request({ method: 'POST', url: this.url, headers, body });
    return JSON.parse(Buffer.from(answer.body).toString('utf8'));
  }

  close(): void {
    this.client.close();
  }
}
