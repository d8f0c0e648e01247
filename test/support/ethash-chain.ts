/**
 * A tree of blocks in memory under the rules of proof of work, without checking the seal (and of
 * proof of stake from a total difficulty on): difficulty, uncles, DAO fork. Only the official chain
 * tests need these; GoQuorum and Besu networks do not use them.
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../../src/core/base/bytes.ts';
import { fromHex } from '../../src/core/base/hex.ts';
import { gasPace } from '../../src/core/base/pace.ts';
import { type Block, EMPTY_UNCLES_HASH } from '../../src/core/chain/block.ts';
import { type Header, headerHash } from '../../src/core/chain/header.ts';
import type { Rules } from '../../src/core/chain/rules.ts';
import { BlockExecution } from '../../src/core/execution/block-execution.ts';
import {
  checkAncestry,
  checkBody,
  checkHeader,
  checkResult,
} from '../../src/core/execution/check-block.ts';
import type { StateBase } from '../../src/core/execution/result.ts';
import { OverlayReader } from '../../src/core/state/overlay-reader.ts';
import { PublicWorld } from '../../src/core/state/public-world.ts';
import { rulesOfName } from './fork-rules.ts';

export interface EthashNode {
  readonly block: Block;
  readonly base: StateBase;
  readonly parent: EthashNode | undefined;
  readonly totalDifficulty: bigint;
}

const DIFFICULTY_MIN = 131_072n;
const UNCLE_DEPTH_MAX = 7;
const UNCLES_MAX = 2;
const DAO_EXTRA = Uint8Array.from(Buffer.from('dao-hard-fork'));
const DAO_EXTRA_BLOCKS = 10;
const DAO_REFUND: Address = fromHex('0xbf4ed7b27f1d666546e30d74d50d173d20bca754');

/**
 * A network name of the official tests: a fork, or `<A>To<B>At<block>`, `AtTime<seconds>k`,
 * `AtDiff<hex>`.
 */
export class Network {
  private readonly before: string;
  private readonly after: string;
  private readonly at: { readonly kind: string; readonly value: bigint } | undefined;

  constructor(name: string) {
    const match = /^(.+)To(.+?)At(Time|Diff)?([0-9A-F]+)k?$/.exec(name);
    this.before = match ? match[1]! : name;
    this.after = match ? match[2]! : name;
    if (!match) return;
    const [, , , kind = 'Block', digits] = match;
    const value = kind === 'Diff' ? BigInt(`0x${digits}`) : BigInt(digits!);
    this.at = { kind, value: kind === 'Time' ? value * 1_000n : value };
  }

  get daoBlock(): number | undefined {
    return this.after === 'Dao' ? Number(this.at!.value) : undefined;
  }

  rules(header: Header, parent: EthashNode): Rules {
    const name = this.isAfter(header, parent) ? this.after : this.before;
    return rulesOfName(name === 'Dao' ? 'Homestead' : name);
  }

  private isAfter(header: Header, parent: EthashNode): boolean {
    if (!this.at) return true;
    const { kind, value } = this.at;
    if (kind === 'Time') return header.timestamp >= value;
    if (kind === 'Diff') return parent.totalDifficulty >= value;
    return BigInt(header.number) >= value;
  }
}

export class EthashChain {
  private readonly network: Network;
  private readonly daoAccounts: readonly Address[];
  private readonly nodes = new Map<string, EthashNode>();

  constructor(
    network: Network,
    genesis: Block,
    base: StateBase,
    daoAccounts: readonly Address[] = [],
  ) {
    this.network = network;
    this.daoAccounts = daoAccounts;
    const totalDifficulty = genesis.header.difficulty;
    this.keep({ block: genesis, base, parent: undefined, totalDifficulty });
  }

  node(hash: Hash32): EthashNode | undefined {
    return this.nodes.get(keyOf(hash));
  }

  /** Throws when the block is invalid. */
  import(block: Block): EthashNode {
    const { header } = block;
    const parent = this.node(header.parentHash);
    if (!parent) throw new Error('unknown ancestor');
    const rules = this.network.rules(header, parent);
    refuse(
      checkAncestry(header, parent.block.header, parent.block.hash) ??
        this.headerFault(header, parent, rules) ??
        checkBody(block) ??
        this.unclesFault(block, parent, rules),
    );
    const base = this.daoBase(header, parent.base, rules);
    const execution = new BlockExecution({
      rules,
      header,
      transactions: block.transactions,
      uncles: block.uncles,
      withdrawals: block.withdrawals ?? [],
      hashes: (number) => ancestor(parent, number)?.block.hash,
      base,
    });
    while (execution.advance(gasPace(1_000_000)) === 'more');
    const executed = execution.result();
    refuse(checkResult(header, executed));
    const reader = new OverlayReader(base.reader, executed.writes);
    return this.keep({
      block,
      base: { reader, trie: executed.trie },
      parent,
      totalDifficulty: parent.totalDifficulty + header.difficulty,
    });
  }

  private keep(node: EthashNode): EthashNode {
    this.nodes.set(keyOf(node.block.hash), node);
    return node;
  }

  private headerFault(header: Header, parent: EthashNode, rules: Rules): string | undefined {
    return (
      checkHeader(header, parent.block.header, rules) ??
      (rules.isParis ? stakeFault(header) : difficultyFault(header, parent.block.header, rules)) ??
      this.daoExtraFault(header)
    );
  }

  private daoExtraFault({ number, extraData }: Header): string | undefined {
    const { daoBlock } = this.network;
    if (daoBlock === undefined || number < daoBlock || number >= daoBlock + DAO_EXTRA_BLOCKS) {
      return undefined;
    }
    return equalBytes(extraData, DAO_EXTRA) ? undefined : 'bad DAO pro-fork extra-data';
  }

  /** The state before the DAO fork block: all of the DAO's ether is in the refund contract. */
  private daoBase(header: Header, base: StateBase, rules: Rules): StateBase {
    if (header.number !== this.network.daoBlock) return base;
    const world = new PublicWorld(base.reader, header.number);
    world.beginTransaction();
    for (const address of this.daoAccounts) {
      const balance = world.balance(address);
      world.subBalance(address, balance);
      world.addBalance(DAO_REFUND, balance);
    }
    world.finishTransaction(rules);
    const writes = world.writeSet();
    return { reader: new OverlayReader(base.reader, writes), trie: base.trie.update(writes) };
  }

  private unclesFault(block: Block, parent: EthashNode, rules: Rules): string | undefined {
    const { uncles } = block;
    if (uncles.length > UNCLES_MAX) return 'too many uncles';
    const ancestors = new Map<string, EthashNode>();
    const used = new Set<string>([keyOf(block.hash)]);
    let node: EthashNode | undefined = parent;
    for (let i = 0; i < UNCLE_DEPTH_MAX && node; i++, node = node.parent) {
      ancestors.set(keyOf(node.block.hash), node);
      for (const uncle of node.block.uncles) used.add(keyOf(headerHash(uncle)));
    }
    for (const uncle of uncles) {
      const key = keyOf(headerHash(uncle));
      if (used.has(key)) return 'duplicate uncle';
      used.add(key);
      if (ancestors.has(key)) return 'uncle is ancestor';
      const uncleParent = ancestors.get(keyOf(uncle.parentHash));
      if (!uncleParent || uncleParent === parent) return "uncle's parent is not ancestor";
      const fault =
        checkAncestry(uncle, uncleParent.block.header, uncleParent.block.hash) ??
        this.headerFault(uncle, uncleParent, this.network.rules(uncle, uncleParent) ?? rules);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}

function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}

function ancestor(from: EthashNode, number: number): EthashNode | undefined {
  let node: EthashNode | undefined = from;
  while (node && node.block.header.number > number) node = node.parent;
  return node;
}

/** EIP-3675: fields of proof of work are zero. */
function stakeFault(header: Header): string | undefined {
  if (header.difficulty !== 0n) return `invalid difficulty: have ${header.difficulty}, want 0`;
  if (header.nonce.some((byte) => byte !== 0)) return 'invalid nonce';
  if (!equalBytes(header.unclesHash, EMPTY_UNCLES_HASH)) return 'invalid uncle hash';
  return undefined;
}

function difficultyFault(header: Header, parent: Header, rules: Rules): string | undefined {
  const wanted = difficultyOf(header.timestamp, parent, rules);
  if (header.difficulty === wanted) return undefined;
  return `invalid difficulty: have ${header.difficulty}, want ${wanted}`;
}

/** Without the difficulty bomb, which has no effect at block numbers as low as in the tests. */
function difficultyOf(timestamp: bigint, parent: Header, rules: Rules): bigint {
  const elapsed = timestamp - parent.timestamp;
  let steps: bigint;
  if (rules.isByzantium) {
    const uncles = equalBytes(parent.unclesHash, EMPTY_UNCLES_HASH) ? 1n : 2n;
    steps = uncles - elapsed / 9n;
  } else if (rules.isHomestead) {
    steps = 1n - elapsed / 10n;
  } else {
    steps = elapsed < 13n ? 1n : -1n;
  }
  if (steps < -99n) steps = -99n;
  const wanted = parent.difficulty + (parent.difficulty / 2_048n) * steps;
  return wanted < DIFFICULTY_MIN ? DIFFICULTY_MIN : wanted;
}
