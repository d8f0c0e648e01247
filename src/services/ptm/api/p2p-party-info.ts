/** P2P: addresses of managers, and the keys that each has (Tessera PartyInfoResource). */
import { QuorateError } from '../../../core/base/errors.ts';
import { json, type Route, text } from '../../../io/http/server.ts';
import { VERSION_HEADER } from '../manager/peers.ts';
import { supportedVersions } from './common.ts';
import { type P2pParts, QUESTION_BYTES_MAX, sourceOf } from './p2p-parts.ts';

const PARTY_INFO_BYTES_MAX = 512 * 1024;

export function partyInfoRoutes({ discovery, challenge, table, versions }: P2pParts): Route[] {
  const headers = { [VERSION_HEADER]: versions.join(',') };
  return [
    {
      method: 'POST',
      path: '/partyinfo',
      about: 'Exchanges addresses and keys with a peer',
      bodyBytesMax: PARTY_INFO_BYTES_MAX,
      async handle(request) {
        const peerVersions = supportedVersions(request.header(VERSION_HEADER));
        const body = await discovery.receive(request.body, peerVersions, sourceOf(request));
        return { status: 200, type: 'application/octet-stream', body, headers };
      },
    },
    {
      method: 'GET',
      path: '/partyinfo',
      about: 'Known addresses and keys',
      handle: () => ({ ...json(200, table.describe()), headers }),
    },
    {
      method: 'POST',
      path: '/partyinfo/validate',
      about: 'Proves that this manager holds a key',
      bodyBytesMax: QUESTION_BYTES_MAX,
      handle({ body }) {
        try {
          return text(200, challenge.answer(body));
        } catch (error) {
          if (!(error instanceof QuorateError)) throw error;
          return text(400, error.message);
        }
      },
    },
  ];
}
