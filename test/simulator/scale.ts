/**
 * Networks of many validators without faults: messages, CPU and time per block, by the number of
 * validators.
 */
import { type Address, equalBytes } from '../../src/core/base/bytes.ts';
import { Prng } from '../../src/core/base/prng.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { BftEngine } from '../../src/core/chain/rules.ts';
import { sortedByChecksumText, sortedValidators } from '../../src/core/consensus/bft/validators.ts';
import { EngineSwitch } from '../../src/core/consensus/engine-switch.ts';
import { bftGenesis, bftRules, keySigner } from '../support/bft-chain.ts';
import { Disk } from './disk.ts';
import { SimNode } from './node.ts';
import { standInSigner } from './signer.ts';
import { Timeline } from './timers.ts';

export const SCALE_SIZES = [4, 7, 16, 31, 64, 100] as const;
const EPOCH_MS = 1_700_000_000_000;
const LINK_MS = 50;
const WRITE_MS_MAX = 1;
/** The number of blocks before the counted ones. */
const WARM_UP_BLOCKS = 2;
const BLOCKS_TIMES_VALIDATORS = 400;
const EVENTS_MAX = 50_000_000;

export interface ScaleOptions {
  readonly engine: BftEngine;
  readonly validators: number;
  readonly blocks: number;
  /** Nodes relay messages, as in production. */
  readonly isRelaying: boolean;
  /**
   * CPU time counts as virtual time, and delays what the node does next. Without it, a run is
   * reproducible.
   */
  readonly isCpuCounted: boolean;
  /** One second by default. */
  readonly blockPeriodMs?: number;
  /** From one node to another, 50 ms by default. */
  readonly linkMs?: number;
  /** Signatures cost nothing. */
  readonly isSignedByName?: boolean;
}

/** Per block, for all nodes together unless noted. */
export interface ScaleRow {
  readonly validators: number;
  /** Copies of messages that nodes send as their authors. */
  readonly messages: number;
  readonly bytes: number;
  /** Copies of relayed messages. */
  readonly relayed: number;
  /** For one node. */
  readonly cpuMs: number;
  /** From one block to the next. */
  readonly blockMs: number;
  /** From the proposal until the last node has the block. */
  readonly decisionMs: number;
}

export function measureScale(options: ScaleOptions): ScaleRow {
  const network = new QuietNetwork(options);
  network.runTo(WARM_UP_BLOCKS);
  const from = network.totals();
  network.runTo(WARM_UP_BLOCKS + options.blocks);
  const to = network.totals();
  const perBlock = (name: keyof typeof from) => (to[name] - from[name]) / options.blocks;
  return {
    validators: options.validators,
    messages: perBlock('messages'),
    bytes: perBlock('bytes'),
    relayed: perBlock('relayed'),
    cpuMs: perBlock('cpuMs') / options.validators,
    blockMs: perBlock('nowMs'),
    decisionMs: perBlock('decisionMs'),
  };
}

/** Prints a table for docs/consensus.md. */
export function printScale(
  sizes: readonly number[],
  isRelaying: boolean,
  links: Pick<ScaleOptions, 'linkMs' | 'blockPeriodMs'>,
): void {
  console.log(
    '| engine | n | messages | / n² | kB | relayed | CPU ms of a node | decision ms | block ms |',
  );
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const engine of ['qbft', 'ibft'] as const) {
    for (const validators of sizes) {
      const blocks = Math.max(3, Math.floor(BLOCKS_TIMES_VALIDATORS / validators));
      const options = { engine, validators, blocks, isRelaying, isCpuCounted: true, ...links };
      const row = measureScale(options);
      const perSquare = (row.messages / validators ** 2).toFixed(2);
      const cells = [row.messages, perSquare, row.bytes / 1000, row.relayed, row.cpuMs.toFixed(1)];
      const times = [row.decisionMs, row.blockMs];
      const text = [...cells, ...times].map((cell) =>
        typeof cell === 'number' ? Math.round(cell) : cell,
      );
      console.log(`| ${engine} | ${validators} | ${text.join(' | ')} |`);
    }
  }
}

/** A node handles one input at a time; others wait. */
interface Worker {
  readonly waiting: (() => void)[];
  isBusy: boolean;
}

class QuietNetwork {
  private readonly timeline = new Timeline();
  private readonly nodes: SimNode[] = [];
  private readonly workers: Worker[] = [];
  private readonly options: ScaleOptions;
  private messages = 0;
  private bytes = 0;
  private relayed = 0;
  private cpuMs = 0;
  private decisionMs = 0;
  /** The start of the current work, by the real clock. */
  private workFromMs: number | undefined;
  private proposedAtMs = 0;

  constructor(options: ScaleOptions) {
    this.options = options;
    const { engine, validators, isRelaying, blockPeriodMs = 1000, isSignedByName } = options;
    const keys = Array.from({ length: validators }, (_, i) => keySigner(i + 1));
    const signers = isSignedByName ? keys.map(({ address }) => standInSigner(address)) : keys;
    const sort = engine === 'ibft' ? sortedByChecksumText : sortedValidators;
    const addresses = sort(signers.map(({ address }) => address));
    const genesis = bftGenesis(engine, addresses, EPOCH_MS / 1000);
    const rules = bftRules(engine, { requestTimeoutMs: 10_000, blockPeriodMs });
    signers.forEach((signer, index) => {
      const real = this.timeline;
      const timeline = {
        get nowMs() {
          return real.nowMs;
        },
        after: (delayMs: number, run: () => void) =>
          real.after(delayMs, () => this.work(index, run)),
      };
      const chance = new Prng(index);
      const node = new SimNode(signer, new Disk(genesis, timeline, chance, WRITE_MS_MAX), {
        timeline,
        chance,
        rulesAt: () => rules,
        firstValidators: addresses,
        newEngine: () => new EngineSwitch(signer, { isRelaying }),
        gasOfBlock: () => 0n,
        nanosecondsPerGas: 0,
        nowMs: () => EPOCH_MS + Math.floor(this.timeline.nowMs),
        steadyMs: () => this.timeline.nowMs,
        emit: (code, bytes, kind, except) => this.emit(index, code, bytes, kind, except),
        announce: (block) => this.announced(block),
        committed: () => {},
        blamed: (_peer, fault) => {
          throw new Error(`node ${index} blames a peer: ${fault}`);
        },
        forgetsVotes: false,
      });
      this.nodes.push(node);
      this.workers.push({ waiting: [], isBusy: false });
    });
    for (const node of this.nodes) node.start();
  }

  runTo(height: number): void {
    for (let events = 0; this.lowestHeight < height; events++) {
      if (events > EVENTS_MAX || !this.timeline.next()) throw new Error('no progress');
    }
  }

  totals() {
    const { messages, bytes, relayed, cpuMs, decisionMs } = this;
    return { messages, bytes, relayed, cpuMs, decisionMs, nowMs: this.timeline.nowMs };
  }

  private lowestHeight = 0;
  private arrived = 0;

  /** Called when a node has the block on disk. */
  private announced({ header }: Block): void {
    if (header.number !== this.lowestHeight + 1 || ++this.arrived < this.nodes.length) return;
    this.lowestHeight = header.number;
    this.arrived = 0;
    this.decisionMs += this.timeline.nowMs - this.proposedAtMs;
    this.proposedAtMs = 0;
  }

  private emit(
    from: number,
    code: number,
    bytes: Uint8Array,
    kind: 'own' | 'relay',
    except: readonly Address[],
  ): void {
    const { address } = this.nodes[from]!.signer;
    const isMeant = (node: SimNode) =>
      ![address, ...except].some((each) => equalBytes(each, node.signer.address));
    const copies = this.nodes.length - 1 - except.filter(distinct).length;
    if (kind === 'own') {
      this.messages += copies;
      this.bytes += copies * bytes.length;
      // A height begins with the proposer's first message.
      this.proposedAtMs ||= this.timeline.nowMs;
    } else this.relayed += copies;
    const { linkMs = LINK_MS } = this.options;
    this.timeline.after(linkMs + this.workedMs(), () => {
      this.nodes.forEach((node, to) => {
        if (isMeant(node)) this.work(to, () => node.receive(address, code, bytes));
      });
    });
  }

  // --- time of work -------------------------------------------------------------------------------------------------

  private work(index: number, run: () => void): void {
    const worker = this.workers[index]!;
    worker.waiting.push(run);
    if (!worker.isBusy) this.workOn(worker);
  }

  private workOn(worker: Worker): void {
    const run = worker.waiting.shift();
    worker.isBusy = run !== undefined;
    if (!run) return;
    this.workFromMs = performance.now();
    run();
    const workedMs = this.workedMs();
    this.cpuMs += performance.now() - this.workFromMs;
    this.workFromMs = undefined;
    if (workedMs === 0) this.workOn(worker);
    else this.timeline.after(workedMs, () => this.workOn(worker));
  }

  /** The time of the current work, if CPU time counts. */
  private workedMs(): number {
    if (!this.options.isCpuCounted || this.workFromMs === undefined) return 0;
    return performance.now() - this.workFromMs;
  }
}

function distinct(address: Address, index: number, all: readonly Address[]): boolean {
  return all.findIndex((each) => equalBytes(each, address)) === index;
}
