/**
 * Reads that need the private state of a block still being processed wait for it: clients that poll
 * once per block would otherwise wait for the next block, which may never come. While the manager
 * is unavailable, nothing waits.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { Json, Method, RawJson } from '../../../io/rpc/method.ts';
import type { ReadContext } from './context.ts';

/**
 * Calls `answer` when this party's private state has reached block `number`, or at once if that
 * will not be soon.
 */
export function afterPrivate<T>(
  { view, privateArrival }: Pick<ReadContext, 'view' | 'privateArrival'>,
  number: number,
  answer: () => T,
): T | Promise<T> {
  return view.isPrivateDone(number) ? answer() : privateArrival().then(answer);
}

/** Calls the row a second time if its private state was behind, and has since caught up. */
export function patient<C extends ReadContext>(row: Method<C>): Method<C> {
  if (row.access !== 'view') return row;
  return {
    ...row,
    call(context, name, args) {
      const again = async (error: unknown): Promise<Json | RawJson> => {
        const isBehind = hasCode(error, 'PRIVATE_STATE_BEHIND');
        if (!isBehind || !(await context.privateArrival())) throw error;
        return row.call(context, name, args);
      };
      try {
        const answer = row.call(context, name, args);
        return answer instanceof Promise ? answer.catch(again) : answer;
      } catch (error) {
        return again(error);
      }
    },
  };
}
