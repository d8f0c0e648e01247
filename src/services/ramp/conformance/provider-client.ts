/** Calls a provider as an aggregator does. */
import { HttpClient } from '../../../io/http/http-client.ts';

const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export type Query = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export type Members = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Undefined: not JSON. */
  readonly json: unknown;
  /** Its members, if it is an object. */
  readonly members: Members;
}

export interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly isSigned?: boolean;
  /** Sent by POST. */
  readonly body?: object;
}

export class ProviderClient {
  private readonly url: string;
  private readonly credential: Readonly<Record<string, string>> | undefined;
  private readonly http = new HttpClient({
    ...{ dialTimeoutMs: TIMEOUT_MS, timeoutMs: TIMEOUT_MS, idleTimeoutMs: TIMEOUT_MS },
    responseBytesMax: ANSWER_BYTES_MAX,
  });

  /** `credential`: headers that identify the caller; undefined: none. */
  constructor(url: string, credential: Readonly<Record<string, string>> | undefined) {
    this.url = url.replace(/\/$/, '');
    this.credential = credential;
  }

  get hasCredential(): boolean {
    return this.credential !== undefined;
  }

  /** Follows no redirect. Throws HTTP_FAILED. */
  async ask(path: string, query: Query = {}, asking: Asking = {}): Promise<Answer> {
    const { headers = {}, isSigned = false, body } = asking;
    const pairs = new URLSearchParams(query as Record<string, string>);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all = {
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(isSigned ? this.credential : {}),
      ...headers,
    };
    const answer = await this.http.request({
      method: text === undefined ? 'GET' : 'POST',
      url: new URL(`${this.url}${path}${pairs.size > 0 ? `?${pairs}` : ''}`),
      headers: Object.entries(all),
      body: text,
    });
    const said = Buffer.from(answer.body).toString('utf8');
    const json = parsed(said);
    const { status, headers: given } = answer;
    return { status, headers: given, text: said, json, members: membersOf(json) };
  }

  close(): void {
    this.http.close();
  }
}

/** Empty for a value that is not an object. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
