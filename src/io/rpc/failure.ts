/** The reply to a call that failed. */
import { QuorateError } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/ports.ts';
import { errorReply } from './envelope.ts';
import { RPC, RpcError } from './method.ts';

/** Errors in our own code are logged; the caller learns only that there was an error. */
export function failureReply(id: string, method: string, error: unknown, log: Log): string {
  if (error instanceof RpcError) return errorReply(id, error.number, error.message, error.data);
  if (error instanceof QuorateError && error.code !== 'INVARIANT_BROKEN') {
    const isRevert = error.code === 'EXECUTION_REVERTED';
    return errorReply(
      id,
      isRevert ? RPC.reverted : RPC.server,
      error.message,
      isRevert ? error.data : undefined,
    );
  }
  const fault = error as Error;
  log('error', 'RPC method failed', { method, err: fault.message, stack: fault.stack });
  return errorReply(id, RPC.server, 'method handler crashed');
}

/** `where`: where the method is served instead. */
export function notFound(method: string, where?: string): RpcError {
  const text = `the method ${method} does not exist/is not available`;
  return new RpcError(RPC.methodNotFound, where === undefined ? text : `${text}: ${where}`);
}
