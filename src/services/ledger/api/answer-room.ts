/**
 * Limits the size of one answer while it is built, and checks whether the caller still waits for
 * it.
 */
import { fail } from '../../../core/base/errors.ts';
import type { ReadContext } from './context.ts';

const MB = 1024 * 1024;
/** Approximate size of the answer as text, in bytes. */
const ANSWER_BYTES_MAX: number = 128 * MB;
/** Limit on the main thread, where a long answer delays all other callers. */
const MAIN_ANSWER_BYTES_MAX: number = 32 * MB;
/** Number of pieces between two checks of the clock. */
const LOOK_EVERY = 16;

export class AnswerRoom {
  private readonly isGivenUp: () => boolean;
  private readonly advice: string;
  private readonly bytesMax: number;
  private left: number;
  private pieces = 0;

  /** `advice`: tells the caller how to request less. */
  constructor(
    { isGivenUp }: Pick<ReadContext, 'isGivenUp'>,
    advice: string,
    maker: 'reader' | 'main thread' = 'reader',
  ) {
    this.isGivenUp = isGivenUp;
    this.advice = advice;
    this.bytesMax = maker === 'reader' ? ANSWER_BYTES_MAX : MAIN_ANSWER_BYTES_MAX;
    this.left = this.bytesMax;
  }

  /**
   * Counts one more piece. Throws ANSWER_TOO_LARGE, or REQUEST_GIVEN_UP when the caller no longer
   * waits.
   */
  readonly take = (bytes: number): void => {
    this.left -= bytes;
    if (this.left < 0) {
      const size = `${this.bytesMax / MB} MB`;
      throw fail('ANSWER_TOO_LARGE', `the answer is longer than ${size}: ${this.advice}`);
    }
    if (this.pieces++ % LOOK_EVERY === 0 && this.isGivenUp())
      throw fail('REQUEST_GIVEN_UP', 'the client no longer waits for the answer');
  };
}
