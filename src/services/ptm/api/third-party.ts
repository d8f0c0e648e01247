/**
 * ThirdParty: requests that clients may send to the manager directly (Tessera's
 * tessera-jaxrs/transaction-jaxrs).
 */
import { json, type Route } from '../../../io/http/server.ts';
import type { PrivateTransactionManager } from '../manager/manager.ts';
import type { PartyTable } from '../manager/party-table.ts';
import { storeRawRoute } from './q2t.ts';
import { base64 } from './replies.ts';

export function thirdPartyRoutes(manager: PrivateTransactionManager, table: PartyTable): Route[] {
  return [
    storeRawRoute(manager),
    {
      method: 'GET',
      path: '/keys',
      about: 'The public keys of this manager',
      handle: () =>
        json(200, { keys: manager.enclave.publicKeys.map((key) => ({ key: base64(key) })) }),
    },
    {
      method: 'GET',
      path: '/partyinfo/keys',
      about: 'The public keys of all known managers',
      handle: () => json(200, { keys: table.describe().keys.map(({ key }) => ({ key })) }),
    },
  ];
}
