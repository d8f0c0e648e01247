/**
 * Typed errors: compare `error.code`, never `instanceof` across rooms or the text. A code is
 * UPPER_SNAKE with its subsystem first. `data` holds details, never secrets.
 */
export class QuorateError extends Error {
  override readonly name = 'QuorateError';
  readonly code: string;
  readonly data: unknown;

  constructor(code: string, message: string, options: { data?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
  }
}

/**
 * Builds (does not throw) the error: `throw fail('GENESIS_INVALID', 'genesis: "alloc" is
 * missing')`.
 */
export function fail(
  code: string,
  message: string,
  options: { data?: unknown; cause?: unknown } = {},
): QuorateError {
  return new QuorateError(code, message, options);
}

export function hasCode(error: unknown, code: string): error is QuorateError {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/** Throws if an invariant is broken: that is a fault of this program, never of the input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new QuorateError('INVARIANT_BROKEN', `invariant broken: ${message}`);
}

export function unreachable(value: never): never {
  throw new QuorateError('INVARIANT_BROKEN', `unreachable: ${String(value)}`);
}
