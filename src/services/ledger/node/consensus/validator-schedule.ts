/**
 * Which validators may make which block: settings by height, and snapshots of votes and validators
 * by block.
 */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { assert } from '../../../../core/base/errors.ts';
import type { Kv, Log } from '../../../../core/base/ports.ts';
import type { ChainConfig } from '../../../../core/chain/chain-config.ts';
import type { ConsensusDefaults, ConsensusRules } from '../../../../core/chain/consensus-rules.ts';
import { blockAuthor, voteOf } from '../../../../core/chain/extra-data.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { BftEngine } from '../../../../core/chain/rules.ts';
import { nextSnapshot, type Snapshot } from '../../../../core/consensus/bft/snapshot.ts';
import { Snapshots } from '../../../../core/consensus/bft/snapshots.ts';
import { Tally } from '../../../../core/consensus/bft/votes.ts';
import { Schedule } from '../../../../core/consensus/schedule.ts';
import { SnapshotRows } from '../../../../core/store/snapshot-rows.ts';
import { type ContractChain, contractValidators } from './validator-contract.ts';

export interface ValidatorScheduleParts {
  readonly chain: ContractChain;
  readonly config: ChainConfig;
  readonly defaults: ConsensusDefaults;
  /** Stores one snapshot per thousand blocks, so that no query reads the whole chain. */
  readonly kv: Kv;
  readonly log: Log;
}

export class ValidatorSchedule {
  private readonly chain: ValidatorScheduleParts['chain'];
  private readonly schedule: Schedule;
  private readonly rows: SnapshotRows;
  private readonly snapshots: Snapshots;
  /** Height after which a contract names the validators. */
  private readonly contractFrom: number;

  constructor({ chain, config, defaults, kv, log }: ValidatorScheduleParts) {
    this.chain = chain;
    this.schedule = new Schedule(config, defaults);
    const heights = [0, ...config.transitions.map(({ block }) => Number(block))];
    const isContract = (height: number) => this.rulesAt(height).validatorContract !== undefined;
    this.contractFrom = heights.sort((a, b) => a - b).find(isContract) ?? Number.POSITIVE_INFINITY;
    this.rows = new SnapshotRows(kv, ({ message }) =>
      log('warn', 'Validator snapshot not kept', { err: message }),
    );
    this.snapshots = new Snapshots({
      header: (number) => chain.header(number),
      rulesAt: (number) => this.schedule.rulesAt(number),
      contractValidators: (number, contract) => contractValidators(chain, config, number, contract),
      load: (hash) => this.rows.load(hash),
      save: (hash, bytes) => this.rows.save(hash, bytes),
    });
  }

  /** Settings for the block at `height`. */
  rulesAt(height: number): ConsensusRules {
    return this.schedule.rulesAt(height);
  }

  /** Whether the validators of block `number` are known only after its parent is executed. */
  needsParentState(number: number): boolean {
    return number > this.contractFrom;
  }

  /**
   * Snapshot after block `number`, which must be on the chain. Throws VALIDATOR_CONTRACT when the
   * contract names no validator.
   */
  snapshotAt(number: number): Snapshot {
    const hash = this.chain.hashOf(number);
    assert(hash !== undefined, `block ${number} is on the chain`);
    return this.snapshots.at(number, hash);
  }

  /**
   * Input of `next`: like snapshotAt, but without validators if they are determined only when the
   * block is imported.
   */
  parentSnapshot(number: number): Snapshot {
    if (!this.needsParentState(number + 1)) return this.snapshotAt(number);
    const { epoch, proposerPolicy } = this.rulesAt(number);
    const hash = this.chain.hashOf(number)!;
    return { epoch, number, hash, votes: [], tally: new Tally(), validators: [], proposerPolicy };
  }

  /** Resolves when all snapshots that were computed so far are stored, as far as they are due. */
  stored(): Promise<void> {
    return this.rows.written();
  }

  /** The validators of the block after `number`. */
  validatorsAfter(number: number): readonly Address[] {
    return this.snapshotAt(number).validators;
  }

  /**
   * The snapshot after a checked header that need not be on the chain yet, child of `before`. If a
   * contract names the validators, it contains only number and hash.
   */
  next(before: Snapshot, header: Header, hash: Hash32): Snapshot {
    if (this.needsParentState(header.number + 1)) return { ...before, number: header.number, hash };
    const engine = this.engineAt(header.number);
    const author = blockAuthor(engine, header);
    assert(author !== undefined, 'a checked header has an author');
    const vote = voteOf(engine, header);
    const next = nextSnapshot(
      before,
      { number: header.number, hash, author, vote },
      this.rulesAt(header.number),
    );
    this.snapshots.note(next);
    return next;
  }

  engineAt(number: number): BftEngine {
    const { engine } = this.rulesAt(number);
    assert(engine === 'qbft' || engine === 'ibft', 'only BFT chains have a validator schedule');
    return engine;
  }
}
