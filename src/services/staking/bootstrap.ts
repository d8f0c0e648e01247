/**
 * Creates the first client of a new store from the options, so that no command is needed for it.
 */
import { fail, hasCode } from '../../core/base/errors.ts';
import { readText } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';
import { type Admin, SCOPES_DEFAULT } from './admin.ts';
import type { StakingConfig } from './config.ts';
import type { LiveState } from './live-state.ts';

/**
 * Does nothing when the client already exists. Throws STAKING_CLIENT_INVALID, which names the file.
 */
export async function bootstrap(
  { clientId, secretFile }: NonNullable<StakingConfig['bootstrap']>,
  { admin, live, audience }: { admin: Admin; live: LiveState; audience: string },
): Promise<void> {
  if ((await admin.clients()).some(({ id }) => id === clientId)) return;
  const secret = secretIn(secretFile);
  const rest = { audiences: [audience], scopes: SCOPES_DEFAULT, mayIntrospect: true };
  try {
    await admin.addClient({ id: clientId, name: clientId, secret, ...rest });
  } catch (error) {
    // Another instance, started at the same time, was first.
    if (!hasCode(error, 'STAKING_CLIENT_EXISTS')) throw inFile(error, secretFile);
  }
  await live.refresh();
}

function secretIn(file: string): string {
  try {
    return readText(file).trim();
  } catch (cause) {
    throw fail('STAKING_CLIENT_INVALID', reasonOf(cause), { cause, data: { path: file } });
  }
}

function inFile(error: unknown, path: string): unknown {
  if (!hasCode(error, 'STAKING_CLIENT_INVALID')) return error;
  return fail(error.code, `${path}: ${error.message}`, { cause: error, data: { path } });
}
