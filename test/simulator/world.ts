/**
 * One schedule: nodes, network, disks and faults drawn from a seed; checked while it runs, and for
 * liveness at its end.
 */
import { type Address, equalBytes, keyOf } from '../../src/core/base/bytes.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import type { Prng } from '../../src/core/base/prng.ts';
import type { Block } from '../../src/core/chain/block.ts';
import type { ConsensusSigner, ValidatorSet } from '../../src/core/consensus/bft/interface.ts';
import { quorumOf } from '../../src/core/consensus/bft/quorum.ts';
import { sortedValidators } from '../../src/core/consensus/bft/validators.ts';
import { bftGenesis } from '../support/bft-chain.ts';
import { type Canary, honestEngine } from './canaries/canary.ts';
import { type Checker, CheckFailed, short } from './checkers/checker.ts';
import { NoFalseBlame } from './checkers/no-false-blame.ts';
import { OneChain } from './checkers/one-chain.ts';
import { OneElectorate } from './checkers/one-electorate.ts';
import { OneValue } from './checkers/one-value.ts';
import { OneVote } from './checkers/one-vote.ts';
import { Disk } from './disk.ts';
import { type Fault, isLoss, type Plan } from './faults.ts';
import { Links } from './links.ts';
import { SimNode } from './node.ts';
import { gasIn, rulesOf } from './plan-rules.ts';
import { readHeard } from './reading.ts';
import { recoveryMs } from './recovery.ts';
import { laterSigner, realSigner, standInSigner } from './signer.ts';
import { Timeline } from './timers.ts';
import { type TraitorWire, traitorOf } from './traitor.ts';

/** Unix time at which a world begins. */
const EPOCH_MS = 1_700_000_000_000;
/** The number of heights that must be decided after the network has become quiet. */
const HEIGHTS_AFTER_QUIET = 4;
const HEIGHTS_MIN = 20;
const QUIET_MS_MAX = 240_000;
const EVENTS_MAX = 2_000_000;
const SYNC_MS = 500;

export interface DrawnPlan {
  readonly plan: Plan;
  /** For random draws while the schedule runs. */
  readonly chance: Prng;
}

export class World {
  events = 0;
  isStuck = false;
  readonly plan: Plan;
  private readonly chance: Prng;
  private readonly timeline = new Timeline();
  private readonly links: Links;
  private readonly nodes: SimNode[] = [];
  /** By node: how far its clock was set. */
  private readonly jumpedMs: number[] = [];
  private readonly traitors: (TraitorWire | undefined)[] = [];
  private readonly signers: ConsensusSigner[];
  private readonly indexOf = new Map<string, number>();
  private readonly checkers: Checker[];
  private readonly chain: OneChain;
  private readonly values: OneValue;
  /** The node that loses its disk, and thus may contradict its own votes of one height. */
  private readonly loser: number | undefined;
  /**
   * A node loses its disk, or only its vote file; in the second case it abstains, and contradicts
   * nothing.
   */
  private readonly hasLoss: boolean;
  /** By height: the highest round that an honest node has reached. */
  private readonly rounds = new Map<number, number>();
  private readonly forgotten = new Map<number, number>();
  private readonly trace: ((line: string) => void) | undefined;
  /** Draws how long a signature takes; undefined: nodes have their keys. */
  private readonly farKeys: Prng | undefined;
  private hash = 0x811c9dc5;

  constructor(
    { plan, chance }: DrawnPlan,
    canary: Canary | undefined,
    trace: ((line: string) => void) | undefined,
    farKeys?: Prng,
  ) {
    this.chance = chance;
    this.trace = trace;
    this.plan = plan;
    this.farKeys = farKeys;
    const { nodes, lossRate, replayRate, delayMsMax, strangers } = plan;
    this.signers = Array.from({ length: nodes }, (_, i) =>
      this.plan.hasRealKeys ? realSigner(i) : standInSigner(keccak256(Uint8Array.of(i)).slice(12)),
    );
    const noise = { lossRate, replayRate, delayMsMax };
    this.links = new Links(nodes, this.timeline, this.chance, noise, strangers);
    const validators = sortedValidators(this.signers.map(({ address }) => address));
    const genesis = bftGenesis(
      this.plan.switchAt > 0 ? 'ibft' : 'qbft',
      validators,
      EPOCH_MS / 1000,
    );
    this.chain = new OneChain(genesis);
    const electorate = new OneElectorate(validators);
    const loss = plan.faults.find(isLoss);
    this.hasLoss = loss !== undefined;
    this.loser = loss?.kind === 'diskLoss' ? loss.node : undefined;
    const { liars } = this;
    this.values = new OneValue((height) => quorumOf(electorate.sizeAt(height), true) - liars);
    this.checkers = [this.chain, electorate, new OneVote(), this.values, new NoFalseBlame()];
    this.signers.forEach((signer, i) => {
      this.indexOf.set(keyOf(signer.address), i);
      this.addNode(i, signer, validators, genesis, canary);
    });
    this.note(JSON.stringify(this.plan));
  }

  get height(): number {
    return this.chain.height;
  }

  get digest(): string {
    return (this.hash >>> 0).toString(16).padStart(8, '0');
  }

  run(): void {
    for (const node of this.nodes) node.start();
    for (const fault of this.plan.faults) this.timeline.after(fault.atMs, () => this.strike(fault));
    for (const index of this.nodes.keys()) this.pollForBlocks(index);
    this.timeline.after(this.plan.quietFromMs, () => this.heal());
    while (this.timeline.nowMs < this.plan.quietFromMs) this.tick();
    const goal = Math.max(HEIGHTS_MIN, this.height + HEIGHTS_AFTER_QUIET);
    const deadline = this.plan.quietFromMs + QUIET_MS_MAX;
    this.recover(deadline);
    while (this.lowestHonestHeight() < goal) {
      if (this.timeline.nowMs > deadline) {
        this.isStuck = this.mayStall();
        if (this.isStuck) return;
        const heights = this.nodes.map((node) => node.head.header.number).join(' ');
        throw new CheckFailed(
          `no progress after the network healed: heights ${heights}, goal ${goal}`,
        );
      }
      this.tick();
    }
  }

  /**
   * The next block must come within the promised bound, counted from when all nodes have the last
   * one.
   */
  private recover(deadline: number): void {
    const { height } = this;
    const until = (isDone: () => boolean) => {
      while (!isDone() && this.timeline.nowMs <= deadline) this.tick();
    };
    until(() => this.lowestHonestHeight() >= height);
    const fromMs = this.timeline.nowMs;
    const next = height + 1;
    const boundMs = recoveryMs(rulesOf(this.plan, next), {
      validators: this.plan.nodes,
      round: this.rounds.get(next) ?? 0,
      hasLiars: this.plan.byzantine.length > 0,
    });
    until(() => this.height > height);
    const tookMs = this.timeline.nowMs - fromMs;
    const isExcused = next < this.plan.switchAt && this.values.isSplit(next);
    if (tookMs > boundMs && !isExcused) {
      throw new CheckFailed(`block ${next} came after ${tookMs} ms: promised are ${boundMs}`);
    }
  }

  /** The Byzantine members, and the node that loses its votes. */
  private get liars(): number {
    return this.plan.byzantine.length + (this.hasLoss ? 1 : 0);
  }

  private mayStall(): boolean {
    const next = this.height + 1;
    return next < this.plan.switchAt && this.liars > 0 && this.values.isSplit(next);
  }

  private tick(): void {
    if (++this.events > EVENTS_MAX || !this.timeline.next()) {
      throw new CheckFailed('too many events, or none');
    }
  }

  private lowestHonestHeight(): number {
    const { length } = this.plan.byzantine;
    return Math.min(...this.nodes.slice(length).map((node) => node.head.header.number));
  }

  private isHonest(node: number): boolean {
    return node >= this.plan.byzantine.length;
  }

  private note(line: string): void {
    for (let i = 0; i < line.length; i++) {
      this.hash = Math.imul(this.hash ^ line.charCodeAt(i), 0x01000193);
    }
    this.trace?.(`${String(this.timeline.nowMs).padStart(7)} ${line}`);
  }

  // --- nodes ------------------------------------------------------------------------------------------------------

  private addNode(
    index: number,
    signer: ConsensusSigner,
    validators: ValidatorSet,
    genesis: Block,
    canary: Canary | undefined,
  ): void {
    const { plan, timeline, chance } = this;
    const clock = plan.clocks[index]!;
    const isHonest = this.isHonest(index);
    const newEngine = (isHonest && canary?.engine) || honestEngine;
    const steadyMs = () => EPOCH_MS + Math.floor(timeline.nowMs * clock.rate) + clock.offsetMs;
    const nowMs = () => steadyMs() + (this.jumpedMs[index] ?? 0);
    const votesBy = laterSigner(signer, this.farKeys, plan, timeline, () => node.signed());
    const node = new SimNode(signer, new Disk(genesis, timeline, chance, plan.writeMsMax), {
      timeline,
      chance,
      rulesAt: (height) => rulesOf(plan, height),
      firstValidators: validators,
      newEngine: () => newEngine(votesBy, { isRelaying: plan.isRelaying }, this.signers),
      nowMs,
      steadyMs,
      emit: (code, bytes, kind, except) => this.emit(index, code, bytes, kind, except),
      announce: (block) => this.announce(index, block),
      committed: (block, context) => {
        if (!isHonest) return;
        this.note(`node ${index} commits ${block.header.number} ${short(block.hash)}`);
        for (const checker of this.checkers) checker.onCommit?.(index, block, context, signer);
      },
      blamed: (peer, fault) => this.blamed(index, peer, fault),
      gasOfBlock: () => this.gasOfBlock(),
      nanosecondsPerGas: plan.nanosecondsPerGas,
      forgetsVotes: isHonest && (canary?.forgetsVotes ?? false),
    });
    this.nodes.push(node);
    const deliver = (to: number, code: number, bytes: Uint8Array) =>
      this.deliver(index, to, code, bytes);
    const traitor = isHonest ? undefined : traitorOf(plan, { index, node, chance, nowMs, deliver });
    this.traitors.push(traitor);
  }

  /** The gas of an honest node's block: it takes at most half the request timeout to execute. */
  private gasOfBlock(): bigint {
    const { plan, chance, height } = this;
    if (plan.nanosecondsPerGas === 0) return 0n;
    const { requestTimeoutMs } = rulesOf(plan, height + 1);
    return gasIn(chance.below(requestTimeoutMs / 2), plan.nanosecondsPerGas);
  }

  private emit(
    from: number,
    code: number,
    bytes: Uint8Array,
    kind: 'own' | 'relay',
    except: readonly Address[],
  ): void {
    const traitor = this.traitors[from];
    if (traitor) {
      if (kind === 'own') traitor.onSend(code, bytes);
      return;
    }
    if (kind === 'own') {
      this.note(`node ${from} sends ${code} ${bytes.length}`);
      this.check(from, code, bytes);
    }
    const [, signer] = except;
    const author = signer && this.plan.isInformed ? this.indexOf.get(keyOf(signer)) : undefined;
    this.nodes.forEach((node, to) => {
      if (to === from || (author !== undefined && this.links.isConnected(author, to))) return;
      const isExcept = except.some((address) => equalBytes(address, node.signer.address));
      if (!isExcept) this.deliver(from, to, code, bytes);
    });
  }

  /**
   * A node that lost its disk may contradict itself at that height, so it is not counted among
   * those that must keep a value.
   */
  private check(from: number, code: number, bytes: Uint8Array): void {
    const { view } = readHeard(code, bytes);
    const highest = this.rounds.get(view.height) ?? 0;
    if (view.round > highest) this.rounds.set(view.height, view.round);
    const height = this.forgotten.get(from);
    if (height !== undefined && view.height <= height) return;
    for (const checker of this.checkers) {
      if (checker !== this.values || from !== this.loser) checker.onSend?.(from, code, bytes);
    }
  }

  private deliver(from: number, to: number, code: number, bytes: Uint8Array): void {
    this.links.send(from, to, () => {
      this.traitors[to]?.onHear(code, bytes);
      this.nodes[to]!.receive(this.signers[from]!.address, code, bytes);
    });
  }

  private blamed(by: number, peer: Address, fault: string): void {
    if (!this.isHonest(by)) return;
    const index = this.indexOf.get(keyOf(peer)) ?? -1;
    this.note(`node ${by} blames ${index}: ${fault}`);
    const isHonest = index >= 0 && this.isHonest(index) && !this.forgotten.has(index);
    const blamed = { index, isHonest };
    for (const checker of this.checkers) checker.onBlame?.(by, blamed, fault);
  }

  // --- sync -------------------------------------------------------------------------------------------------------

  private announce(from: number, block: Block): void {
    if (!this.isHonest(from)) return;
    this.nodes.forEach((node, to) => {
      if (to !== from) this.links.send(from, to, () => node.offer(block));
    });
  }

  /** Asks a random node for the next block from time to time. */
  private pollForBlocks(index: number): void {
    this.timeline.after(SYNC_MS + this.chance.below(SYNC_MS), () => {
      const node = this.nodes[index]!;
      const peer = this.chance.below(this.nodes.length);
      if (node.isUp && peer !== index && this.isHonest(peer)) this.askForBlock(index, peer);
      this.pollForBlocks(index);
    });
  }

  private askForBlock(from: number, to: number): void {
    const wanted = this.nodes[from]!.head.header.number + 1;
    this.links.send(from, to, () => {
      const peer = this.nodes[to]!;
      const block = peer.isUp ? peer.disk.blocks[wanted] : undefined;
      if (!block) return;
      this.links.send(to, from, () => {
        this.nodes[from]!.offer(block);
        if (peer.disk.blocks[wanted + 1])
          this.timeline.after(100, () => this.askForBlock(from, to));
      });
    });
  }

  // --- faults -----------------------------------------------------------------------------------------------------

  private strike(fault: Fault): void {
    this.note(JSON.stringify(fault));
    switch (fault.kind) {
      case 'crash':
        this.crash(fault.node, fault.downMs);
        break;
      case 'blackout':
        for (const node of this.nodes.keys()) this.crash(node, fault.downMs);
        break;
      case 'partition':
        this.links.side.splice(0, this.links.side.length, ...fault.sides);
        break;
      case 'heal':
        this.links.rejoin();
        break;
      case 'oneWay':
        for (const [from, to] of fault.links) this.links.block(from, to);
        break;
      case 'diskLoss':
        this.loseDisk(fault.node, fault.downMs);
        break;
      case 'voteLoss':
        this.nodes[fault.node]!.loseVotes();
        this.timeline.after(fault.downMs, () => this.nodes[fault.node]!.start());
        break;
      case 'clock':
        for (const node of fault.nodes)
          this.jumpedMs[node] = (this.jumpedMs[node] ?? 0) + fault.byMs;
        break;
      case 'vote': {
        const { address } = this.signers.at(-1)!;
        for (const node of this.nodes) node.candidates.propose(address, fault.isAdd);
        break;
      }
    }
  }

  private crash(index: number, downMs: number): void {
    const node = this.nodes[index]!;
    node.crash();
    this.timeline.after(downMs, () => node.start());
  }

  private loseDisk(index: number, downMs: number): void {
    const node = this.nodes[index]!;
    this.forgotten.set(index, node.head.header.number + 1);
    node.loseDisk();
    this.timeline.after(downMs, () => node.start());
  }

  private heal(): void {
    this.note('quiet');
    this.links.heal();
    for (const node of this.nodes) node.start();
  }
}
