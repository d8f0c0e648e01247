/**
 * Our own extension: many requests of a node in one. `POST /batch
 * {"requests":[{"path","media","body","traceparent"?}…]}` answers a line of JSON for each,
 * `{"at","status","body"|"text"}`, as soon as it is done: a slow recipient delays no other payload.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { HttpReply, Route } from '../../../io/http/server.ts';
import type { TraceRequest } from '../request-traces.ts';
import { MEDIA, type Media } from './replies.ts';
import { bad, type Fields, jsonBody } from './requests.ts';

const REQUESTS_MAX = 1024;
const LINES_TYPE = 'application/x-ndjson';
const JSON_KINDS: ReadonlySet<string> = new Set(Object.values(MEDIA));

/** Handler of a path, given the JSON of its body. */
export type Handler = (fields: Fields, media: Media) => Promise<HttpReply> | HttpReply;

export function batchRoute(
  handlers: ReadonlyMap<string, Handler>,
  failure: (error: unknown) => HttpReply,
  trace: TraceRequest,
): Route {
  return {
    method: 'POST',
    path: '/batch',
    about: 'Several requests in one',
    async handle(request) {
      const { requests } = jsonBody(request);
      if (!Array.isArray(requests)) throw bad('"requests" is not a list');
      if (requests.length > REQUESTS_MAX) throw bad(`more than ${REQUESTS_MAX} requests`);
      const answers = requests.map((one: unknown) => answerTo(one, handlers, failure, trace));
      return { status: 200, type: LINES_TYPE, body: await linesOf(answers) };
    },
  };
}

async function answerTo(
  request: unknown,
  handlers: ReadonlyMap<string, Handler>,
  failure: (error: unknown) => HttpReply,
  trace: TraceRequest,
): Promise<string> {
  try {
    const { path, media, body, traceparent } = (request ?? {}) as Fields;
    const handler = typeof path === 'string' ? handlers.get(path) : undefined;
    if (!handler) throw bad('a request of the batch has a path that is not allowed in a batch');
    if (typeof media !== 'string' || !JSON_KINDS.has(media)) throw bad('"media" is unknown');
    if (typeof body !== 'object' || body === null) throw bad('a body is not a JSON object');
    const work = () => handler(body as Fields, media as Media);
    return members(await trace(`POST ${path}`, traceparent, work));
  } catch (error) {
    return members(failure(error));
  }
}

function members({ status, type, body }: HttpReply): string {
  const value = JSON_KINDS.has(type) ? `"body":${body}` : `"text":${JSON.stringify(body)}`;
  return `"status":${status},${value}`;
}

/** A text if all answers are ready in one turn of the event loop, which is the usual case. */
async function linesOf(answers: readonly Promise<string>[]): Promise<HttpReply['body']> {
  const lines = asTheyCome(answers);
  const first = await lines.next();
  if (first.done) return '';
  return first.value.isLast ? first.value.text : texts(first.value, lines);
}

interface Lines {
  readonly text: string;
  readonly isLast: boolean;
}

async function* texts(first: Lines, others: AsyncIterable<Lines>): AsyncGenerator<string> {
  yield first.text;
  for await (const { text } of others) yield text;
}

/** Those that are ready in the same turn of the event loop are together. */
async function* asTheyCome(answers: readonly Promise<string>[]): AsyncGenerator<Lines> {
  let done: string[] = [];
  let wake = (): void => undefined;
  for (const [at, answer] of answers.entries()) {
    void answer.then((text) => {
      done.push(`{"at":${at},${text}}\n`);
      wake();
    });
  }
  for (let left = answers.length; left > 0; ) {
    if (done.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    await turn();
    const lines = done;
    done = [];
    left -= lines.length;
    yield { text: lines.join(''), isLast: left === 0 };
  }
}
