/** What one answer may hold, counted while it is made; and whether somebody still waits for it. */
import { fail } from '../../../core/base/errors.ts';
import type { ReadContext } from './context.ts';

const MB = 1024 * 1024;
/** About as many bytes as the answer has as text. */
const ANSWER_BYTES_MAX: number = 128 * MB;
/** Of one that the main thread makes, which everybody else waits for. */
const MAIN_ANSWER_BYTES_MAX: number = 32 * MB;
/** Pieces between two looks at the time. */
const LOOK_EVERY = 16;

export class AnswerRoom {
  private readonly isGivenUp: () => boolean;
  private readonly advice: string;
  private readonly bytesMax: number;
  private left: number;
  private pieces = 0;

  /** `advice`: how to ask for less. */
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

  /** For one more piece. Throws ANSWER_TOO_LARGE, and REQUEST_GIVEN_UP where nobody waits any more. */
  readonly take = (bytes: number): void => {
    this.left -= bytes;
    if (this.left < 0) {
      const size = `${this.bytesMax / MB} MB`;
      throw fail('ANSWER_TOO_LARGE', `the answer is longer than ${size}: ${this.advice}`);
    }
    if (this.pieces++ % LOOK_EVERY === 0 && this.isGivenUp())
      throw fail('REQUEST_GIVEN_UP', 'nobody waits for the answer any more');
  };
}
