/** The accounts that a node signs for: in its folder, or at an external signer. */
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { openWire } from '../../../io/rpc-wire/open-wire.ts';
import type { AccountsConfig } from '../config.ts';
import type { Accounts } from '../node/sending/accounts.ts';
import { openAccounts } from './accounts.ts';
import { externalAccounts } from './external-accounts.ts';
import { ExternalSigner } from './external-signer.ts';

export interface WalletParts {
  readonly log: Log;
  /** What is opened adds its end. */
  readonly ends: (() => unknown)[];
}

/** As geth, either of both. Throws as `openAccounts`, OPTION_CONFLICT and SIGNER_UNAVAILABLE. */
export async function openWallet(
  config: AccountsConfig,
  { log, ends }: WalletParts,
): Promise<Accounts> {
  const { signer: endpoint } = config;
  if (endpoint === undefined) return openAccounts(config, log);
  if (config.unlocked.length > 0) {
    throw fail(
      'OPTION_CONFLICT',
      "--unlock is for keys in the node's folder: with --signer, unlock accounts at the signer",
    );
  }
  const wire = openWire(endpoint, {});
  ends.push(() => wire.close());
  return externalAccounts(
    await ExternalSigner.connect({ endpoint, wire, timers: systemTimers, log }),
  );
}
