/** Planted bugs of the private side. */
import { queryKey } from '../../../src/core/privacy/inputs.ts';
import type { Manager } from '../../../src/core/privacy/manager-port.ts';

/** A planted bug that the checks must find. */
export interface PrivacyCanary {
  readonly name: string;
  /** In place of what the manager of a node says. */
  spoil(port: Manager): Manager;
}

/** A node that takes "no answer" for "not a party". */
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
