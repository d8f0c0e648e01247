/**
 * `quorate db private-check` and `private-repair`, on a stopped node's data: reruns every block
 * with private transactions, using the payloads that its manager has now, after the manager has
 * asked its peers.
 */

import { toBase64 } from '../../../core/base/base64.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Effort, Log, Timers } from '../../../core/base/ports.ts';
import type { Manager, MissingPayload } from '../../../core/privacy/manager-port.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import { Progress } from '../../../io/telemetry/progress.ts';
import { Chain } from '../node/chain/chain.ts';
import { Events } from '../node/chain/events.ts';
import { BlockAudit, type PrivateFault } from '../node/private-state/block-audit.ts';
import { PayloadCache } from '../node/private-state/payload-cache.ts';
import { PrivateFollower } from '../node/private-state/private-follower.ts';
import type { OpenChain } from '../store/data.ts';

/** Maximum number of listed faults. */
const FAULTS_MAX = 1_000;

export interface PrivateCheckParts {
  readonly opened: Pick<OpenChain, 'store' | 'genesis'>;
  readonly manager: Manager;
  readonly privateStates: PrivateStates;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly effort: Effort;
  readonly log: Log;
}

export interface PrivateReport {
  /** Number of blocks with private transactions that were rerun. */
  readonly blocks: number;
  /** Number of the first block that can be checked: older ones have no states here. */
  readonly first: number;
  /** Number of the last checked block. */
  readonly head: number;
  /** The first faults, in the order of blocks. */
  readonly faults: readonly PrivateFault[];
  /** Payloads that, according to peers, are addressed to this node, but that no peer sends. */
  readonly missing: readonly MissingPayload[];
  /** Whether the manager could ask its peers: Tessera cannot. */
  readonly hasAskedPeers: boolean;
}

export class PrivateCheck {
  private readonly parts: PrivateCheckParts;
  private readonly chain: Chain;
  private readonly events = new Events();
  private readonly audit: BlockAudit;

  /** Throws PRIVATE_STATE_NONE when there is no private state to check. */
  constructor(parts: PrivateCheckParts) {
    const { opened, manager, privateStates, timers, effort, log } = parts;
    const { store, genesis } = opened;
    const { config } = genesis;
    if (!config.isQuorum) throw none('the chain has no private state');
    if (!manager.isInUse) {
      throw none('name the private transaction manager of this node: --ptm.url or --ptm.socket');
    }
    this.parts = parts;
    this.chain = new Chain({
      ...{ store, config, timers, effort, log, events: this.events },
    });
    const { psis, psiOf } = privateStates;
    this.audit = new BlockAudit({ chain: this.chain, manager, psis, psiOf });
  }

  /** Rejects when the manager does not answer. */
  async check(from = this.first): Promise<PrivateReport> {
    const { manager } = this.parts;
    const compared = await manager.compare?.([], 'now');
    const head = this.cursor();
    const faults: PrivateFault[] = [];
    let blocks = 0;
    const progress = new Progress(this.parts.clock, this.parts.log);
    for (let number = from; number <= head; number++) {
      const done = number - from;
      progress.tell('Checked private state', done / (head - from + 1), () => ({
        ...{ block: number, of: head, 'blocks/s': progress.perSecond(done) },
      }));
      if (!this.chain.store.hasPrivateWork(number)) continue;
      blocks++;
      const found = await this.audit.look(number, 'deep');
      if (faults.length < FAULTS_MAX) faults.push(...found);
    }
    const missing = compared?.missing ?? [];
    return {
      blocks,
      first: this.first,
      head,
      faults,
      missing,
      hasAskedPeers: compared !== undefined,
    };
  }

  /**
   * Rewinds the private states to before the first bad block of `report` and reruns from there.
   * Resolves with the number of that block; undefined: there is no fault to repair. Throws
   * PRIVATE_REPAIR_REFUSED if that would lose correct data.
   */
  async repair({ faults }: PrivateReport): Promise<number | undefined> {
    const { store } = this.chain;
    const first = faults.find(({ kind }) => kind !== 'lost')?.number;
    if (first === undefined) return undefined;
    const lost = faults.filter(({ kind, number }) => kind === 'lost' && number >= first);
    if (lost.length > 0) {
      const names = lost
        .slice(0, 10)
        .map(({ number, hash }) => `${toBase64(hash)} (block ${number})`);
      throw refused(
        `${lost.length} payloads from block ${first} on were run and are gone: running again would lose what they did. Bring them back first (quorate ptm recover, or a backup of the manager): ${names.join(', ')}`,
      );
    }
    this.checkAges(first);
    for (const psi of store.spaces()) await store.rewind(psi, first - 1);
    await this.follow();
    return first;
  }

  /**
   * Throws if a private state began after block `first`: it would lose the state that it copied
   * from `empty`.
   */
  private checkAges(first: number): void {
    const { store } = this.chain;
    const young = store.spaces().filter((psi) => store.privateResult(psi, first) === undefined);
    if (young.length === 0) return;
    throw refused(
      `the private states ${young.join(', ')} began after block ${first}: start the node with an empty --datadir instead, it syncs from its peers`,
    );
  }

  private async follow(): Promise<void> {
    const { manager, privateStates, clock, timers, log } = this.parts;
    const { chain, events } = this;
    let fail: (error: unknown) => void = () => {};
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const follower = new PrivateFollower({
      ...{ chain, events, timers, log },
      cache: new PayloadCache({ manager, clock, log }),
      psis: privateStates.psis,
      psiOf: privateStates.psiOf,
      fatal: fail,
    });
    const head = chain.head().number;
    const done = new Promise<void>((resolve) => {
      events.on('privateDone', () => follower.cursor() >= head && resolve());
    });
    follower.start();
    try {
      if (follower.cursor() < head) await Promise.race([done, failure]);
    } finally {
      follower.stop();
    }
  }

  private get first(): number {
    return this.chain.store.firstState + 1;
  }

  private cursor(): number {
    const { store } = this.chain;
    const { psis } = this.parts.privateStates;
    return Math.min(...psis.map((psi) => store.cursor({ kind: 'private', psi })));
  }
}

function none(why: string): Error {
  return fail('PRIVATE_STATE_NONE', why);
}

function refused(why: string): Error {
  return fail('PRIVATE_REPAIR_REFUSED', why);
}
