/** `raft_*`: members of a Raft cluster (GoQuorum raft/api.go). */

/** A member as the queried node knows it. */
export interface RaftMember {
  readonly raftId: number;
  /** Public key: 128 hex digits. */
  readonly nodeId: string;
  readonly p2pPort: number;
  readonly raftPort: number;
  readonly hostname: string;
  /** `minter`, `verifier` or `learner`; empty while there is no leader. */
  readonly role: string;
  readonly nodeActive: boolean;
}

/** An enode URL names its Raft port: `?raftport=50400`. Errors are those of the sending library. */
export interface Raft {
  /**
   * `minter`, `verifier` or `learner`; empty without a leader.
   *
   * @example
   * console.log(await rpc.raft.role());
   */
  role(): Promise<string>;
  /**
   * Public key of the node that mints.
   *
   * @example
   * console.log(await rpc.raft.leader());
   */
  leader(): Promise<string>;
  /**
   * All members of the cluster.
   *
   * @example
   * for (const { raftId, role } of await rpc.raft.cluster()) console.log(raftId, role);
   */
  cluster(): Promise<readonly RaftMember[]>;
  /**
   * Adds a member with a vote; resolves with the raft id that the new node is started with.
   *
   * @example
   * const raftId = await rpc.raft.addPeer(newPeer);
   * console.log(`quorate node --raft --raftjoinexisting ${raftId}`);
   */
  addPeer(enode: string): Promise<number>;
  /**
   * Adds a member without a vote; resolves with its raft id.
   *
   * @example
   * console.log(await rpc.raft.addLearner(learner));
   */
  addLearner(enode: string): Promise<number>;
  /**
   * Raft id of another member.
   *
   * @example
   * console.log(await rpc.raft.getRaftId(newPeer));
   */
  getRaftId(enode: string): Promise<number>;
  /**
   * Gives a learner a vote.
   *
   * @example
   * await rpc.raft.promoteToPeer(await rpc.raft.getRaftId(learner));
   */
  promoteToPeer(raftId: number): Promise<boolean>;
  /**
   * Removes a member; its raft id is never used again.
   *
   * @example
   * await rpc.raft.removePeer(await rpc.raft.getRaftId(newPeer));
   */
  removePeer(raftId: number): Promise<null>;
}
