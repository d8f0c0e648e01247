/** How a stranger would ask the methods of block explorers. */
import type { Probe } from './target.ts';

const byTransaction: Probe = ({ hash }) => [[hash]];
const details: Probe = ({ blockNumber }) => [[blockNumber], ['latest'], ['pending']];
const search: Probe = ({ contract, from, blockNumber }) =>
  [contract, from].flatMap((who) => [
    [who, 0, 500],
    [who, Number(blockNumber) + 1, 25],
    [who, Number(blockNumber) - 1, 25],
  ]);

export const EXPLORER_PROBES: Readonly<Record<string, Probe>> = {
  ots_getApiLevel: () => [[]],
  ots_getBlockDetails: details,
  ots_getBlockDetailsByHash: ({ blockHash }) => [[blockHash]],
  ots_getBlockTransactions: ({ blockNumber }) => [
    [blockNumber, 0, 255],
    [blockNumber, 1, 1],
  ],
  ots_getContractCreator: ({ contract }) => [[contract]],
  ots_getInternalOperations: byTransaction,
  ots_getTransactionBySenderAndNonce: ({ from }) => [0, 1, 2].map((nonce) => [from, nonce]),
  ots_getTransactionError: byTransaction,
  ots_hasCode: ({ contract }) => [[contract, 'latest']],
  ots_searchTransactionsAfter: search,
  ots_searchTransactionsBefore: search,
  ots_traceTransaction: byTransaction,
  erigon_getHeaderByNumber: details,
};
