/**
 * `quorate/client`: what private transactions need in addition to any library for Ethereum.
 * `quorate/client/viem` and `quorate/client/ethers` are built on it.
 */
export type * from './ledger/calls/extension.ts';
export type * from './ledger/calls/istanbul.ts';
export type * from './ledger/calls/permission.ts';
export type * from './ledger/calls/privacy.ts';
export type * from './ledger/calls/raft.ts';
export { ManagerError, type ManagerOptions, PrivateManager } from './ledger/manager.ts';
export { markPrivate } from './ledger/mark-private.ts';
export { type QuorumRpc, quorumRpc, type Requester } from './ledger/rpc.ts';
export * from './ledger/rpc-types.ts';
