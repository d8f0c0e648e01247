/** A recorded manager for a node: answers with its payloads, accepts nothing new. */
import { toHex } from '../../src/core/base/hex.ts';
import { queryKey } from '../../src/core/privacy/inputs.ts';
import type { ConnectedManager } from '../../src/io/ptm-client/connected-manager.ts';
import { managerNotInUse } from '../../src/io/ptm-client/no-manager.ts';
import { contentsOf, recordedNode } from './recorded-manager.ts';

/** How a recorded manager describes itself; it has no payloads yet. */
export const RECORDED_MANAGER: ConnectedManager = {
  ...managerNotInUse(),
  name: 'Recorded',
  isInUse: true,
  features: {
    privacyEnhancements: true,
    multiTenancy: false,
    multiplePrivateStates: false,
    mandatoryRecipients: true,
  },
};

export async function recordedManager(recording: string, node: string): Promise<ConnectedManager> {
  const { inputs } = await recordedNode(recording, node, false);
  const contents = contentsOf(recording);
  return {
    ...RECORDED_MANAGER,
    mandatory: async (hash) => contents[toHex(hash)]?.mandatoryRecipients ?? [],
    ask: async (queries) =>
      new Map(
        queries.map((query) => [queryKey(query), inputs.answer(query) ?? { kind: 'notParty' }]),
      ),
  };
}
