/**
 * `quorate/client`: what private transactions need beside a library for Ethereum, with any of them.
 * `quorate/client/viem` and `quorate/client/ethers` rest on it.
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
