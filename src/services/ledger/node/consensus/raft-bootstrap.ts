/** The first entries of a new Raft cluster. */
import { encodeAddress, type MemberAddress } from '../../../../core/consensus/raft/address.ts';
import { CONF_CHANGE, encodeConfChange } from '../../../../core/consensus/raft/messages.ts';
import { bootstrapEntries } from '../../../../core/consensus/raft/raft.ts';
import type { RaftStore } from '../../../../core/store/raft-store.ts';

/** Starts the log of a new cluster with its members; the bytes are identical on each member. */
export async function bootstrapStore(
  store: RaftStore,
  members: readonly MemberAddress[],
): Promise<void> {
  const { hardState, snapshot, entries } = store.contents;
  const isBlank = hardState.term === 0 && snapshot.index === 0 && entries.length === 0;
  if (!isBlank || members.length === 0) return;
  const changes = members.map((address) =>
    encodeConfChange({
      id: 0,
      type: CONF_CHANGE.addNode,
      nodeId: address.raftId,
      context: encodeAddress(address),
    }),
  );
  await store.save(bootstrapEntries(changes));
}
