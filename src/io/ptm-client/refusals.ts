/** A manager's refusal, for a node: an error with the status, and the meaning of the status. */
import { fail, hasCode } from '../../core/base/errors.ts';
import type { HttpAnswer } from '../http/http-call.ts';

export function refused(status: number, text: string): Error {
  return fail('PTM_REFUSED', `${status} status: ${text}`, { data: { status } });
}

export function plainRefusal(answer: Pick<HttpAnswer, 'status'>, negation: string): Error {
  return fail('PTM_REFUSED', `${negation}-200 status code: ${answer.status}`, {
    data: { status: answer.status },
  });
}

/** A final refusal: the peer's data is not an envelope, or not for us. */
export function isRefusal(error: unknown): boolean {
  if (!hasCode(error, 'PTM_REFUSED')) return false;
  const { status } = error.data as { status: number };
  return status >= 400 && status <= 500;
}

export function isNotFound(error: unknown): boolean {
  return hasCode(error, 'PTM_REFUSED') && (error.data as { status: number }).status === 404;
}
