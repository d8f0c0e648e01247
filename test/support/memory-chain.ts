/**
 * A chain of blocks in memory, executed one by one: for tests that do not need the node's store.
 */
import { type Hash32, keyOf } from '../../src/core/base/bytes.ts';
import { gasPace } from '../../src/core/base/pace.ts';
import { bytesToBigInt } from '../../src/core/base/quantity.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { ChainConfig } from '../../src/core/chain/chain-config.ts';
import { engineAt } from '../../src/core/chain/consensus-rules.ts';
import { blockAuthor } from '../../src/core/chain/extra-data.ts';
import { type Genesis, genesisBlock } from '../../src/core/chain/genesis.ts';
import type { Header } from '../../src/core/chain/header.ts';
import { type Rules, rulesAt } from '../../src/core/chain/rules.ts';
import { BlockExecution } from '../../src/core/execution/block-execution.ts';
import type { BlockJob } from '../../src/core/execution/block-job.ts';
import { checkAncestry, checkBody, checkResult } from '../../src/core/execution/check-block.ts';
import type { ExecutedBlock, StateBase } from '../../src/core/execution/result.ts';
import type { PrivateInputs, Psi } from '../../src/core/privacy/inputs.ts';
import { type AllocEntry, MemoryReader } from '../../src/core/state/memory-reader.ts';
import { OverlayReader } from '../../src/core/state/overlay-reader.ts';
import { StateTrie } from '../../src/core/state/state-trie.ts';

/** The node's connection to private transactions; absent: it has no private transaction manager. */
export interface PrivateNode {
  readonly psis: readonly Psi[];
  readonly inputs: PrivateInputs;
  readonly psiOf?: (managedParty: string) => Psi | undefined;
}

export interface ChainNode {
  readonly block: Block;
  readonly base: StateBase;
  readonly spaces: ReadonlyMap<Psi, StateBase>;
  readonly executed: ExecutedBlock | undefined;
}

const GAS_SLICE = 5_000_000;

function emptyState(): StateBase {
  return { reader: new MemoryReader(), trie: StateTrie.empty() };
}

/** The genesis accounts, in the form of an initial state. */
function allocEntries(genesis: Genesis): AllocEntry[] {
  return genesis.alloc.map(({ address, balance, nonce, code, storage }) => ({
    address,
    balance,
    nonce,
    code,
    storage: new Map(
      storage.map(([slot, value]) => [bytesToBigInt(slot), bytesToBigInt(value)] as const),
    ),
  }));
}

export class MemoryChain {
  readonly nodes: ChainNode[] = [];
  private readonly config: ChainConfig;
  private readonly privateNode: PrivateNode | undefined;
  private readonly byHash = new Map<string, ChainNode>();

  constructor(genesis: Genesis, privateNode?: PrivateNode) {
    const base = MemoryReader.fromAlloc(allocEntries(genesis));
    const block = genesisBlock(genesis, () => base.trie.root());
    this.config = genesis.config;
    this.privateNode = privateNode;
    const spaces = new Map((privateNode?.psis ?? []).map((psi) => [psi, emptyState()]));
    this.add({ block, base, spaces, executed: undefined });
  }

  get head(): ChainNode {
    return this.nodes[this.nodes.length - 1]!;
  }

  rules(header: Header): Rules {
    return rulesAt(this.config, header.number, header.timestamp);
  }

  /** Checks, executes and adds the next block. Throws with GoQuorum's text when it is invalid. */
  import(block: Block): ChainNode {
    const parent = this.head;
    const fault =
      checkAncestry(block.header, parent.block.header, parent.block.hash) ?? checkBody(block);
    if (fault !== undefined) throw new Error(fault);
    const executed = this.execute(block, parent);
    const wrong = checkResult(block.header, executed);
    if (wrong !== undefined) throw new Error(wrong);
    const node: ChainNode = {
      block,
      base: next(parent.base, executed),
      spaces: this.nextSpaces(parent, executed),
      executed,
    };
    this.add(node);
    return node;
  }

  job(block: Block, parent: ChainNode = this.head): BlockJob {
    const engine = engineAt(this.config, block.header.number);
    const author = engine === 'ibft' ? blockAuthor(engine, block.header) : undefined;
    return {
      rules: this.rules(block.header),
      header: block.header,
      transactions: block.transactions,
      uncles: block.uncles,
      withdrawals: block.withdrawals ?? [],
      author,
      hashes: (number) => this.nodes[number]?.block.hash,
      base: parent.base,
      spaces: parent.spaces,
      inputs: this.privateNode?.inputs,
      psiOf: this.privateNode?.psiOf,
    };
  }

  byBlockHash(hash: Hash32): ChainNode | undefined {
    return this.byHash.get(keyOf(hash));
  }

  private execute(block: Block, parent: ChainNode): ExecutedBlock {
    const execution = new BlockExecution(this.job(block, parent));
    while (execution.advance(gasPace(GAS_SLICE)) === 'more');
    return execution.result();
  }

  private nextSpaces(parent: ChainNode, executed: ExecutedBlock): ReadonlyMap<Psi, StateBase> {
    const outcome = executed.private;
    if (outcome.kind !== 'done') return parent.spaces;
    return new Map([...outcome.spaces].map(([psi, r]) => [psi, next(parent.spaces.get(psi)!, r)]));
  }

  private add(node: ChainNode): void {
    this.nodes.push(node);
    this.byHash.set(keyOf(node.block.hash), node);
  }
}

function next(base: StateBase, changes: Pick<ExecutedBlock, 'writes' | 'trie'>): StateBase {
  const { writes, trie } = changes;
  if (writes.accounts.size === 0 && writes.codes.length === 0) return { ...base, trie };
  return { reader: new OverlayReader(base.reader, writes), trie };
}
