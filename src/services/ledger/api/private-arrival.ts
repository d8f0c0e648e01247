/**
 * Reads that need the private side of a block which is just being followed: they wait for it, as clients that poll once a block
 * would else wait for the next block, which may never come. While the manager is away nothing waits.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { Json, Method, RawJson } from '../../../io/rpc/method.ts';
import type { ReadContext } from './context.ts';

/** `answer` once this party's private side of block `number` is done, or at once where that will not be soon. */
export function afterPrivate<T>(
  { view, privateArrival }: Pick<ReadContext, 'view' | 'privateArrival'>,
  number: number,
  answer: () => T,
): T | Promise<T> {
  return view.isPrivateDone(number) ? answer() : privateArrival().then(answer);
}

/** The row, asked a second time where the first one met a private state that was behind and has arrived since. */
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
