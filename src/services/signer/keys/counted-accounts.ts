/** Accounts whose signatures are counted by outcome only, never by account or content. */
import type { Metrics } from '../../../core/base/ports.ts';
import type { AccountSigner, SigningAccounts } from '../../../core/signing/account-signer.ts';

type Outcome = 'signed' | 'failed';

export function countedAccounts(accounts: SigningAccounts, metrics: Metrics): SigningAccounts {
  const count = (outcome: Outcome, by = 1) =>
    metrics.count(`signer_signatures_total{outcome="${outcome}"}`, by);
  for (const outcome of ['signed', 'failed'] as const) count(outcome, 0);
  const counted = (signer: AccountSigner): AccountSigner => ({
    address: signer.address,
    publicKey: () => signer.publicKey(),
    sign(digest) {
      try {
        const signature = signer.sign(digest);
        if (!(signature instanceof Promise)) {
          count('signed');
          return signature;
        }
        signature.then(
          () => count('signed'),
          () => count('failed'),
        );
        return signature;
      } catch (error) {
        count('failed');
        throw error;
      }
    },
  });
  return {
    addresses: () => accounts.addresses(),
    find(address) {
      const signer = accounts.find(address);
      return signer && counted(signer);
    },
  };
}
