/**
 * Whether connected validators know the coming rule changes (transitions, newer forks). One that
 * does not would fail at that block: it is reported beforehand, and this node does not build the
 * block while such a peer is connected. Up to f such validators delay the block only for a limited
 * time, because their reports may be false.
 */
import { type Address, equalBytes, keyOf } from '../../../../core/base/bytes.ts';
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import type { Log, PeerInfo } from '../../../../core/base/ports.ts';
import type { ChainConfig } from '../../../../core/chain/chain-config.ts';
import { type RuleChange, ruleChanges } from '../../../../core/chain/rule-changes.ts';
import { faultyMax } from '../../../../core/consensus/bft/quorum.ts';
import { decodeRuleChanges, encodeRuleChanges } from '../../../../core/wire/rule-changes.ts';

interface Watched {
  readonly address: Address;
  readonly name: string;
  /** Reported digest by block; undefined until the peer has reported. */
  readonly told: ReadonlyMap<number, string> | undefined;
}

/**
 * How long up to f validators can delay a block: the time for operators to install the new genesis
 * file.
 */
export const HOLD_MS = 300_000;

/** Client name of GoQuorum, which sends no report, and cannot know forks that it lacks. */
const GOQUORUM = /^Geth\//;

export class ForkReadiness {
  private readonly own: readonly RuleChange[];
  private readonly log: Log;
  private readonly peers = new Map<string, Watched>();
  private readonly warned = new Set<string>();
  /** The delayed block, and since when it is delayed. */
  private held: { readonly block: number; readonly sinceMs: number } | undefined;

  constructor({ config, log }: { config: ChainConfig; log: Log }) {
    this.own = ruleChanges(config);
    this.log = log;
  }

  /** This node's report to its peers. */
  announcement(): Uint8Array {
    return encodeRuleChanges(this.own);
  }

  joined({ address, clientName: name }: PeerInfo): void {
    this.peers.set(keyOf(address), { address, name, told: undefined });
  }

  /** Throws when the bytes are malformed. */
  told({ address, clientName: name }: PeerInfo, bytes: Uint8Array): void {
    const told = new Map(
      decodeRuleChanges(bytes).map(({ block, digest }) => [block, bareHex(digest)]),
    );
    this.peers.set(keyOf(address), { address, name, told });
  }

  left({ address }: PeerInfo): void {
    this.peers.delete(keyOf(address));
  }

  /** Validators among the peers that lack the change at `block`. */
  private ignorantOf(block: number, validators: readonly Address[]): readonly Address[] {
    const change = this.own.find((each) => each.block === block);
    if (!change) return [];
    return [...this.peers.values()]
      .filter((peer) => validators.some((validator) => equalBytes(validator, peer.address)))
      .filter((peer) => !knows(peer, change))
      .map(({ address }) => address);
  }

  /**
   * Validators for which `block` must wait. If more than f lack its rules, it waits until they have
   * them, since there would be no quorum; if up to f lack them, it waits for HOLD_MS.
   */
  holding(block: number, validators: readonly Address[], nowMs: number): readonly Address[] {
    const ignorant = this.ignorantOf(block, validators);
    if (ignorant.length === 0) return [];
    if (this.held?.block !== block) this.held = { block, sinceMs: nowMs };
    const isOver = nowMs - this.held.sinceMs >= HOLD_MS;
    return isOver && ignorant.length <= faultyMax(validators.length) ? [] : ignorant;
  }

  /** Logs the validators that lack the next change after `head`, each once. */
  warn(head: number, validators: readonly Address[]): void {
    const next = this.own.find(({ block }) => block > head);
    if (!next) return;
    for (const address of this.ignorantOf(next.block, validators)) {
      const key = `${next.block}/${keyOf(address)}`;
      if (this.warned.has(key)) continue;
      this.warned.add(key);
      this.log(
        'warn',
        'Validator does not know of a coming rule change: update its genesis file first',
        {
          validator: toHex(address),
          block: next.block,
          left: next.block - head,
        },
      );
    }
  }
}

function knows({ name, told }: Watched, { block, digest, isOurs }: RuleChange): boolean {
  if (told) return told.get(block) === bareHex(digest);
  return !(isOurs && GOQUORUM.test(name));
}
