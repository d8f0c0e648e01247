/**
 * Official blockchain tests: chains of valid blocks, blocks that must be refused, and chains over a
 * fork.
 */
import { basename } from 'node:path';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import { EthashChain, Network } from '../support/ethash-chain.ts';
import { stateOf } from './alloc.ts';
import { filesBelow, readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

export const coreChains: VectorKind = {
  name: 'core-tests chains',
  find: (root) =>
    filesBelow(root, (path) => /core-tests\/BlockchainTests\/.*\.json\.gz$/.test(path)),
  run(file, report) {
    const tests = readJson(file);
    for (const [path, test] of Object.entries<any>(tests)) {
      runChain(`${basename(file)} ${path}`, test, daoAccountsOf(tests), report);
    }
  },
};

/** The account that signs the transactions of the official tests. */
const SENDER = '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b';

/** Genesis accounts that all tests of the DAO fork share: those that the fork drains. */
function daoAccountsOf(tests: Record<string, any>): Uint8Array[] {
  const [first, ...rest] = Object.values(tests).map((test) => test.pre);
  return Object.keys(first)
    .filter((address) => rest.every((pre) => pre[address]))
    .filter((address) => address !== SENDER)
    .map(fromHex);
}

function runChain(name: string, test: any, daoAccounts: Uint8Array[], report: Report): void {
  const genesis = decodeBlock(fromHex(test.genesisRLP), 'ethereum');
  const base = stateOf(test.pre);
  if (toHex(base.trie.root()) !== test.genesisBlockHeader.stateRoot) {
    report.fail(name, 'genesis state root');
    return;
  }
  const chain = new EthashChain(new Network(test.network), genesis, base, daoAccounts);
  for (const [index, block] of test.blocks.entries()) {
    let fault: string | undefined;
    try {
      chain.import(decodeBlock(fromHex(block.rlp), 'ethereum'));
    } catch (error) {
      fault = (error as Error).message;
    }
    const isExpected = block.expectException !== undefined;
    if ((fault !== undefined) !== isExpected) {
      report.fail(name, `block ${index}: expected ${block.expectException}, found ${fault}`);
      return;
    }
  }
  const last = chain.node(fromHex(test.lastblockhash));
  const root = test.postState && toHex(stateOf(test.postState).trie.root());
  const found = last && toHex(last.base.trie.root());
  const expected = root ?? test.postStateHash;
  if (found === expected) report.pass(name);
  else report.fail(name, `state root at the last block is ${found}, expected ${expected}`);
}
