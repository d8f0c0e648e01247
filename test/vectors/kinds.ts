/** All kinds of vectors that the runner and the tests know. */
import { join } from 'node:path';
import { chains } from './chains.ts';
import { consensusNetworks } from './consensus-networks.ts';
import { consensusPrepared } from './consensus-prepared.ts';
import { consensusRaft } from './consensus-raft.ts';
import { consensusRaftRpc } from './consensus-raft-rpc.ts';

import { consensusRpc } from './consensus-rpc.ts';
import { consensusSessions } from './consensus-sessions.ts';
import { consensusWire } from './consensus-wire.ts';
import { consensusWireIbft } from './consensus-wire-ibft.ts';
import { coreChains } from './core-chains.ts';
import { evmUnit } from './evm-unit.ts';
import { filesBelow } from './folders.ts';
import type { VectorKind } from './kind.ts';
import { p2p, p2pDiscovery } from './p2p.ts';
import { privateChains } from './private-chains.ts';
import { privateSimulations } from './private-simulations.ts';
import { rpc } from './rpc.ts';
import { rpcSecurity } from './rpc-security.ts';
import { signerVectors } from './signer.ts';
import { stateTests } from './state-tests.ts';
import { tesseraVectors } from './tessera.ts';
import { transactions } from './transactions.ts';
import { typedData } from './typed-data.ts';

export const VECTOR_KINDS: readonly VectorKind[] = [
  transactions,
  typedData,
  stateTests,
  coreChains,
  evmUnit,
  p2p,
  consensusWire,
  consensusWireIbft,
  consensusSessions,
  consensusPrepared,
  consensusNetworks,
  consensusRaft,
  consensusRaftRpc,

  consensusRpc,
  chains,
  privateChains,
  privateSimulations,
  tesseraVectors,
  rpc,
  rpcSecurity,
  signerVectors,
];

/** Files that are found and counted but not run, because their checks do not exist yet. */
export const OWED_LATER: readonly Pick<VectorKind, 'name' | 'find'>[] = [
  p2pDiscovery,
  later(
    'core-tests (rlp, trie, abi, keys, genesis)',
    'public/core-tests',
    /^(?!.*\/BlockchainTests\/|.*\/TransactionTests\/)/,
  ),
  later('ethers', 'public/ethers', /^(?!.*(transactions|eip712))/),
  later('execution-apis', 'public/execution-apis'),
  later('besu', 'public/besu'),
  later('istanbul', 'public/istanbul'),
  later(
    'signer (error table, key files)',
    'public/signer',
    /^(?!.*\/(eth_sendTransaction|eea_sendTransaction|eth_sign|eth_signTransaction|raw-known)\.json)/,
  ),
  later('keys', 'public/keys'),
  later('crypto', 'public/crypto', /^(?!.*\/nacl\/.*box\.json)/),
  later('jose', 'public/jose'),
  later('jsonrpc2', 'public/jsonrpc2'),
  later('iso', 'public/iso'),
  later('command line', 'goquorum/cli'),
  later('data folder', 'goquorum/datadir'),
  later('permission', 'goquorum/permission', /^(?!.*\/blocks\.json)/),
  later('quirks', 'goquorum/quirks'),
  later('consensus ibft', 'goquorum/consensus/ibft', /^(?!.*\/blocks\.json)/),
  later(
    'consensus raft',
    'goquorum/consensus/raft',
    /^(?!.*\/((blocks|connections)\.json|rpc\.io))/,
  ),
  later('consensus transitions', 'goquorum/consensus/transitions', /^(?!.*\/blocks\.json)/),
  later('private transactions', 'goquorum', /-chain\/private\/(cases|extension)/),
];

/**
 * Data files below `folder` whose path matches; descriptions, contracts and keys are not vectors.
 */
function later(name: string, folder: string, accept = /./): Pick<VectorKind, 'name' | 'find'> {
  const isData = (path: string) =>
    /\.(json|jsonl|io|csv|txt)(\.gz)?$/.test(path) &&
    !/\/(genesis|keys|contracts|static-nodes)\.json$/.test(path);
  return {
    name,
    find: (root) => filesBelow(join(root, folder), (path) => isData(path) && accept.test(path)),
  };
}
