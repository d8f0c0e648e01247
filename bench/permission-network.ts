/**
 * The version 2 network recorded with GoQuorum, with 10,000 more accounts in 1,000 organisations:
 * in memory, and as a chain.
 */
import type { Address, Hash32 } from '../src/core/base/bytes.ts';
import { EMPTY_ROOT } from '../src/core/base/keccak.ts';
import { type Block, blockOf } from '../src/core/chain/block.ts';
import type { Header } from '../src/core/chain/header.ts';
import { execute } from '../src/core/evm/interpreter.ts';
import { blockEnvironment, evmEnvironment } from '../src/core/execution/environment.ts';
import { callOf } from '../src/core/permission/abi.ts';
import { PermissionCache } from '../src/core/permission/cache.ts';
import type { PermissionConfig } from '../src/core/permission/config.ts';
import { PublicWorld } from '../src/core/state/public-world.ts';
import { WorldReader } from '../src/core/state/world-reader.ts';
import type { BlockToAppend } from '../src/core/store/interface.ts';
import { contractCallOn } from '../src/services/ledger/node/permission/contract-call.ts';
import { MemoryChain } from '../test/support/memory-chain.ts';
import { recordedPermissions } from '../test/support/recorded-permissions.ts';

const ORGS = 1_000;
export const ACCOUNTS = 10_000;
const GAS = 1_000_000_000n;

const addOrg = callOf('addOrg(string)');
const approveOrg = callOf('approveOrg(string)');
const addRole = callOf('addRole(string,string,uint256,bool,bool)');
const assignRole = callOf('assignAccountRole(address,string,string,bool)');

export interface GrownNetwork {
  readonly cache: PermissionCache;
  readonly config: PermissionConfig;
  readonly genesisText: string;
  /** The recorded blocks. */
  readonly blocks: readonly Block[];
  /** The block after them, which adds the accounts. */
  readonly last: BlockToAppend;
  /** Reads all records, as at a start. */
  fill(): PermissionCache;
}

/** Gives each of `senders` a role in one of the organisations that lets it send. */
export function grownNetwork(senders: readonly Address[]): GrownNetwork {
  const { genesis, genesisText, config, blocks } = recordedPermissions('v2');
  const chain = new MemoryChain(genesis);
  for (const block of blocks) chain.import(block);
  const { block, base } = chain.head;
  const { header } = block;
  const rules = chain.rules(header);
  const world = new PublicWorld(base.reader, header.number + 1);
  const shared = blockEnvironment(header, header.coinbase, rules, () => undefined);
  const { addresses } = config;
  const send = (to: Address, data: Uint8Array) => {
    world.beginTransaction();
    const caller = addresses.implementation!;
    const message = { sender: caller, blobVersionedHashes: [] };
    const call = { caller, to, value: 0n, data, gas: GAS };
    const { kind } = execute(call, evmEnvironment(shared, world, message, 0n));
    if (kind !== 'success') throw new Error(`a contract refused: ${kind}`);
    world.finishTransaction(rules);
  };
  for (let at = 0; at < ORGS; at++) {
    send(addresses.orgs, addOrg(`BENCH${at}`));
    send(addresses.orgs, approveOrg(`BENCH${at}`));
    send(addresses.roles, addRole('SENDER', `BENCH${at}`, 1n, false, false));
  }
  for (const [at, sender] of senders.entries())
    send(addresses.accounts, assignRole(sender, `BENCH${at % ORGS}`, 'SENDER', false));
  world.beginTransaction();
  const call = contractCallOn({
    ...{ rules, header },
    hashes: () => undefined,
    publicState: new WorldReader(world),
  });
  const fill = () => {
    const cache = new PermissionCache({ config, isRaft: false });
    cache.fill(call);
    return cache;
  };
  const cache = fill();
  if (cache.registry.accounts.size < ACCOUNTS) throw new Error('not all accounts were read');
  const writes = world.writeSet();
  const trie = base.trie.update(writes);
  const next = blockAfter(block, trie.root());
  const last = { block: next, receipts: [], writes, trie, hasPrivateWork: false };
  return { cache, config, genesisText, blocks, last, fill };
}

/** A block without transactions, with the seals of the block before, because nobody checks them. */
function blockAfter({ header, hash }: Block, stateRoot: Hash32): Block {
  const next: Header = {
    ...{ ...header, number: header.number + 1, parentHash: hash, stateRoot },
    ...{ timestamp: header.timestamp + 1n, gasUsed: 0n, bloom: new Uint8Array(256) },
    ...{ transactionsRoot: EMPTY_ROOT, receiptsRoot: EMPTY_ROOT },
  };
  return blockOf(next, { transactions: [], uncles: [], withdrawals: undefined });
}
