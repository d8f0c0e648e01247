/** Carries out the sync machine's effects, and reports the results to it. */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import type { Clock, Timers } from '../../../../core/base/ports.ts';
import { SYNC_TICK_MS, Sync } from '../../../../core/sync/sync.ts';
import type {
  SyncBlock,
  SyncEffect,
  SyncHeader,
  SyncInput,
  SyncProgress,
} from '../../../../core/sync/sync-types.ts';
import { ETH_MESSAGE } from '../../../../core/wire/eth.ts';
import { encodeGetBlockHeaders, encodeHashRequest } from '../../../../core/wire/eth-encode.ts';
import type { Chain } from '../chain/chain.ts';
import type { Events } from '../chain/events.ts';
import type { EthLink } from './eth-link.ts';

export interface SyncDriverParts {
  readonly chain: Chain;
  readonly link: EthLink;
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  /**
   * Checks seals and fields of headers that follow the last verified one; resolves with the first
   * fault, if any.
   */
  verifyHeaders(
    headers: readonly SyncHeader[],
  ): Promise<{ index: number; text: string } | undefined>;
  /** Executes and appends blocks in order. */
  importBlocks(blocks: readonly SyncBlock[]): void;
}

export class SyncDriver {
  private readonly parts: SyncDriverParts;
  private readonly sync: Sync;
  private readonly endings: (() => void)[] = [];
  private isBehind = false;

  constructor(parts: SyncDriverParts) {
    this.parts = parts;
    this.sync = new Sync(chainHead(parts.chain));
  }

  start(): void {
    const { chain, events, timers } = this.parts;
    this.endings.push(
      events.on('committed', () => this.step({ kind: 'head', head: chainHead(chain) })),
    );
    const tick = () => {
      this.step({ kind: 'tick' });
      timer = timers.set(SYNC_TICK_MS, tick);
    };
    let timer = timers.set(SYNC_TICK_MS, tick);
    this.endings.push(() => timer.cancel());
  }

  stop(): void {
    for (const end of this.endings.splice(0)) end();
  }

  get progress(): SyncProgress | undefined {
    return this.sync.progress;
  }

  step(input: SyncInput): void {
    for (const effect of this.sync.step(input, this.parts.clock.nowMs())) this.carry(effect);
    const isBehind = this.sync.progress !== undefined;
    if (isBehind === this.isBehind) return;
    this.isBehind = isBehind;
    this.parts.events.emit('syncing', isBehind);
  }

  /** A block could not be imported: the peer that sent it is dropped. */
  importFailed(hash: Hash32, fault: string): void {
    this.step({ kind: 'importFailed', hash, fault });
  }

  private carry(effect: SyncEffect): void {
    const { link } = this.parts;
    switch (effect.kind) {
      case 'getHeaders':
        link.send(
          effect.peer,
          ETH_MESSAGE.getBlockHeaders,
          encodeGetBlockHeaders(effect.requestId, effect.query),
        );
        return;
      case 'getBodies':
        link.send(
          effect.peer,
          ETH_MESSAGE.getBlockBodies,
          encodeHashRequest(effect.requestId, effect.hashes),
        );
        return;
      case 'verifyHeaders':
        void this.verify(effect.batch, effect.headers);
        return;
      case 'import':
        this.parts.importBlocks(effect.blocks);
        return;
      case 'misbehaved':
        link.drop(effect.peer, effect.reason, effect.fault);
    }
  }

  private async verify(batch: number, headers: readonly SyncHeader[]): Promise<void> {
    const fault = await this.parts.verifyHeaders(headers);
    this.step({ kind: 'verified', batch, ...(fault ? { fault } : {}) });
  }
}

/**
 * Number, hash and total difficulty of the head; every block of a BFT chain has the same
 * difficulty.
 */
export function chainHead(chain: Chain) {
  const { number, hash, header } = chain.head();
  const first = chain.store.header(0)!.difficulty;
  return { number, hash, td: first + BigInt(number) * (number > 0 ? header.difficulty : 0n) };
}
