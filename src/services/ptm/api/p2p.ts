/** P2P: what other managers send us, Tessera's or our own (privacy dossier §11). */
import { fail, QuorateError } from '../../../core/base/errors.ts';
import { BinaryReader } from '../../../core/privacy/payload-binary.ts';
import { type HttpReply, json, type Route, text } from '../../../io/http/server.ts';
import type { Discovery } from '../manager/discovery.ts';
import type { PrivateTransactionManager } from '../manager/manager.ts';
import type { PartyTable } from '../manager/party-info.ts';
import { VERSION_HEADER } from '../manager/peers.ts';
import { supportedVersions } from './common.ts';
import { base64 } from './replies.ts';

const BATCH_PAYLOADS_MAX = 1024;

export interface P2pParts {
  readonly manager: PrivateTransactionManager;
  readonly discovery: Discovery;
  readonly table: PartyTable;
  readonly versions: readonly string[];
  readonly failure: (error: unknown) => HttpReply;
}

export function p2pRoutes({ manager, discovery, table, versions, failure }: P2pParts): Route[] {
  const versionHeader = { [VERSION_HEADER]: versions.join(',') };
  return [
    {
      method: 'POST',
      path: '/push',
      handle: async ({ body }) => text(201, base64(await manager.storePushed(body))),
    },
    {
      // Ours: one field a payload; the answer lists the status that each would have had alone.
      method: 'POST',
      path: '/push/batch',
      async handle({ body }) {
        const input = new BinaryReader(body);
        const payloads = input.fields();
        if (payloads.length > BATCH_PAYLOADS_MAX || input.remaining > 0) {
          throw fail('PTM_REQUEST_INVALID', 'the batch has too many payloads or bytes behind them');
        }
        const results = await Promise.allSettled(
          payloads.map((payload) => manager.storePushed(payload)),
        );
        return json(200, {
          statuses: results.map((result) =>
            result.status === 'fulfilled' ? 201 : failure(result.reason).status,
          ),
        });
      },
    },
    {
      method: 'POST',
      path: '/partyinfo',
      async handle(request) {
        const peerVersions = supportedVersions(request.header(VERSION_HEADER));
        const body = await discovery.receive(request.body, peerVersions);
        return { status: 200, type: 'application/octet-stream', body, headers: versionHeader };
      },
    },
    { method: 'GET', path: '/partyinfo', handle: () => json(200, table.describe()) },
    {
      method: 'POST',
      path: '/partyinfo/validate',
      handle({ body }) {
        try {
          return text(200, discovery.answerChallenge(body));
        } catch (error) {
          if (!(error instanceof QuorateError)) throw error;
          return text(400, error.message);
        }
      },
    },
  ];
}
