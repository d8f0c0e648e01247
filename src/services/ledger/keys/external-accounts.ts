/**
 * The accounts of an external signer as accounts of the node: no keys, no passwords (GoQuorum
 * 24.4.1).
 */
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import type { Accounts } from '../node/sending/accounts.ts';
import type { ExternalSigner } from './external-signer.ts';

/** Texts are those of GoQuorum accounts/external/backend.go and internal/ethapi/api.go. */
export function externalAccounts(signer: ExternalSigner): Accounts {
  return {
    addresses: () => signer.addresses(),
    list: () => signer.list(),
    isElsewhere: () => true,
    sign: (address, hash, subject) => signer.sign(address, hash, subject),
    signWithPassword: () =>
      Promise.reject(elsewhere('password-operations not supported on external signers')),
    unlock: () => Promise.reject(elsewhere('unlock only supported for keystore wallets')),
    lock: () => {},
    create: () => Promise.reject(elsewhere('local keystore not used')),
    importKey: () => Promise.reject(elsewhere('local keystore not used')),
  };
}

function elsewhere(text: string): QuorateError {
  return fail('ACCOUNT_ELSEWHERE', `${text}: --signer names who keeps the accounts`);
}
