/** Planted bugs of private transactions. */
import { queryKey } from '../../../src/core/privacy/inputs.ts';
import type { Manager } from '../../../src/core/privacy/manager-port.ts';

/** A planted bug that the checks must find. */
export interface PrivacyCanary {
  readonly name: string;
  /** Replaces a node's connection to its manager. */
  spoil(port: Manager): Manager;
}

/** A node that treats "no answer" as "not a party". */
export const PRIVACY_CANARIES: readonly PrivacyCanary[] = [
  {
    name: 'privacy-outage-means-stranger',
    spoil: (port) => ({
      ...port,
      ask: (queries) =>
        port
          .ask(queries)
          .catch(
            () => new Map(queries.map((query) => [queryKey(query), { kind: 'notParty' } as const])),
          ),
    }),
  },
];
