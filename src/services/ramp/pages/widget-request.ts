/** Requests of the page: its secret in a header, and JSON. */
import type { HttpRequest } from '../../../io/http/server.ts';
import { badField, Refusal } from '../api/refusal.ts';

const ANSWERS_MAX = 20;
const ANSWER_CHARACTERS_MAX = 1_000;
const SECRET = /^[\w-]{43}$/;

/** Throws a Refusal: there is no secret, or another site sends this. */
export function sessionOf(request: HttpRequest): string {
  const site = request.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') {
    throw new Refusal(403, 'cross_site', 'only the page itself may ask this');
  }
  const id = request.header('x-widget-session') ?? '';
  if (SECRET.test(id)) return id;
  throw new Refusal(403, 'session_unknown', 'this page is not known: open it again');
}

/** Throws a Refusal. */
export function bodyOf(request: HttpRequest): Readonly<Record<string, unknown>> {
  if (!/^application\/json\b/.test(request.header('content-type') ?? '')) {
    throw new Refusal(415, 'body_invalid', 'the body must be JSON');
  }
  try {
    const body: unknown = JSON.parse(Buffer.from(request.body).toString('utf8'));
    if (isObject(body)) return body;
  } catch {
    // Reported below.
  }
  throw new Refusal(400, 'body_invalid', 'the body must be a JSON object');
}

export function wholeNumberOf(body: Readonly<Record<string, unknown>>, name: string): number {
  const value = body[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw badField(name, 'number_invalid', 'must be a whole number');
}

/** Texts by name. */
export function answersOf({ answers }: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = isObject(answers) ? Object.entries(answers) : [];
  const isGood = ([, value]: [string, unknown]) =>
    typeof value === 'string' && value.length <= ANSWER_CHARACTERS_MAX;
  if (isObject(answers) && entries.length <= ANSWERS_MAX && entries.every(isGood)) {
    return answers as Record<string, string>;
  }
  throw badField('answers', 'answers_invalid', 'must be an object of texts');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
