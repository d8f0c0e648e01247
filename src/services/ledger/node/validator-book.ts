/** Who may make which block: snapshots of votes and validators, computed from headers and kept around the head. */
import { type Address, equalBytes } from '../../../core/base/bytes.ts';
import { assert } from '../../../core/base/errors.ts';
import { Lru } from '../../../core/base/lru.ts';
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import {
  type ConsensusDefaults,
  type ConsensusRules,
  consensusAt,
} from '../../../core/chain/consensus-rules.ts';
import { blockAuthor, validatorsOf, voteOf } from '../../../core/chain/extra-data.ts';
import type { Header } from '../../../core/chain/header.ts';
import type { BftEngine } from '../../../core/chain/rules.ts';
import {
  genesisSnapshot,
  nextSnapshot,
  type Snapshot,
} from '../../../core/consensus/bft/snapshot.ts';
import type { ChainReader } from '../../../core/store/interface.ts';

const SNAPSHOTS_MAX = 1_024;
/** Every so many blocks a snapshot is kept for old queries, so that none walks the whole chain. */
const KEPT_INTERVAL_BLOCKS = 1_024;

export class ValidatorBook {
  private readonly chain: Pick<ChainReader, 'header' | 'hashOf'>;
  private readonly config: ChainConfig;
  private readonly defaults: ConsensusDefaults;
  private readonly recent = new Lru<number, Snapshot>(SNAPSHOTS_MAX);
  private readonly kept = new Map<number, Snapshot>();

  constructor(
    chain: Pick<ChainReader, 'header' | 'hashOf'>,
    config: ChainConfig,
    defaults: ConsensusDefaults,
  ) {
    this.chain = chain;
    this.config = config;
    this.defaults = defaults;
  }

  rulesAt(height: number): ConsensusRules {
    return consensusAt(this.config, height, this.defaults);
  }

  /** After block `number`, which is on the chain. */
  snapshotAt(number: number): Snapshot {
    let at = number;
    while (at > 0 && !this.known(at)) at--;
    let snapshot = this.known(at) ?? this.genesis();
    for (let next = at + 1; next <= number; next++)
      snapshot = this.add(snapshot, this.headerAt(next), this.hashAt(next));
    return snapshot;
  }

  /** Who makes the block after `number`. */
  validatorsAfter(number: number): readonly Address[] {
    return this.snapshotAt(number).validators;
  }

  /** The snapshot after a header that may not be on the chain yet, child of `before`. */
  next(before: Snapshot, header: Header, hash: Uint8Array): Snapshot {
    const engine = this.engineAt(header.number);
    const author = blockAuthor(engine, header);
    assert(author !== undefined, 'the author of a checked header is known');
    const vote = voteOf(engine, header);
    return nextSnapshot(
      before,
      { number: header.number, hash, author, vote },
      this.rulesAt(header.number),
    );
  }

  engineAt(number: number): BftEngine {
    const { engine } = this.rulesAt(number);
    assert(engine === 'qbft' || engine === 'ibft', 'only BFT chains have a validator book');
    return engine;
  }

  private known(number: number): Snapshot | undefined {
    const snapshot = this.recent.get(number) ?? this.kept.get(number);
    return snapshot && equalBytes(snapshot.hash, this.hashAt(number)) ? snapshot : undefined;
  }

  private add(before: Snapshot, header: Header, hash: Uint8Array): Snapshot {
    const snapshot = this.next(before, header, hash);
    this.remember(snapshot);
    return snapshot;
  }

  private genesis(): Snapshot {
    const header = this.headerAt(0);
    const snapshot = genesisSnapshot(this.hashAt(0), validatorsOf(header), this.rulesAt(0));
    this.remember(snapshot);
    return snapshot;
  }

  private remember(snapshot: Snapshot): void {
    this.recent.set(snapshot.number, snapshot);
    if (snapshot.number % KEPT_INTERVAL_BLOCKS === 0) this.kept.set(snapshot.number, snapshot);
  }

  private headerAt(number: number): Header {
    const header = this.chain.header(number);
    assert(header !== undefined, `block ${number} is on the chain`);
    return header;
  }

  private hashAt(number: number): Uint8Array {
    const hash = this.chain.hashOf(number);
    assert(hash !== undefined, `block ${number} is on the chain`);
    return hash;
  }
}
