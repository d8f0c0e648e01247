/** The manager of a node that has none. */
import { fail } from '../../core/base/errors.ts';
import { queryKey } from '../../core/privacy/inputs.ts';
import type { ConnectedManager } from './connected-manager.ts';
import { featuresOf } from './versions.ts';

/** A manager without payloads, which accepts none. */
export function managerNotInUse(): ConnectedManager {
  const refuse = (): Promise<never> =>
    Promise.reject(fail('PTM_NOT_IN_USE', 'private transaction manager is not in use'));
  return {
    name: 'NotInUse',
    isInUse: false,
    features: featuresOf([1, 0, 0]),
    ask: async (queries) =>
      new Map(queries.map((query) => [queryKey(query), { kind: 'notParty' } as const])),
    send: refuse,
    storeRaw: refuse,
    sendSigned: refuse,
    ping: async () => {},
    receiveRaw: async () => undefined,
    participants: refuse,
    mandatory: refuse,
    groups: async () => [],
    encryptPayload: refuse,
    decryptPayload: refuse,
    close: () => undefined,
  };
}
