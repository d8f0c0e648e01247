/**
 * `quorate/client`: what private transactions need beside a library for Ethereum, with any of them.
 * `quorate/client/viem` and `quorate/client/ethers` rest on it.
 */
export { ManagerError, type ManagerOptions, PrivateManager } from './ledger/manager.ts';
export { markPrivate } from './ledger/mark-private.ts';
export { type QuorumRpc, quorumRpc, type Requester } from './ledger/rpc.ts';
export * from './ledger/rpc-types.ts';
