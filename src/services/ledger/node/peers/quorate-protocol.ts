/**
 * `quorate/1`: messages between Quorate nodes in addition to eth and istanbul: coming rule changes,
 * and connections.
 */
import { type Address, keyOf } from '../../../../core/base/bytes.ts';
import type { PeerInfo } from '../../../../core/base/ports.ts';
import {
  CONNECTIONS_MESSAGE,
  decodeConnections,
  encodeConnections,
} from '../../../../core/wire/connections.ts';
import { RULE_CHANGES_MESSAGE } from '../../../../core/wire/rule-changes.ts';
import type { ForkReadiness } from '../consensus/fork-readiness.ts';

/** The version that carries all consensus messages; older ones carry only those of IBFT. */
const ISTANBUL_VERSION = 100;

export interface QuorateProtocolParts {
  /** The rule changes that each peer has reported. */
  readonly rules: ForkReadiness;
  /** Called when a peer has reported rule changes, or has disconnected. */
  rulesHeard(): void;
  /** A peer reported its connections. */
  told(peer: PeerInfo, connections: readonly Address[]): void;
  send(peer: PeerInfo, code: number, bytes: Uint8Array): void;
}

export class QuorateProtocol {
  private readonly parts: QuorateProtocolParts;
  private readonly neighbours = new Map<string, PeerInfo>();
  /** Whether connections have changed since the last report. */
  private isNews = false;

  constructor(parts: QuorateProtocolParts) {
    this.parts = parts;
  }

  /** Call it after the eth handshake with a peer. */
  joined(info: PeerInfo): void {
    const { rules, rulesHeard, send } = this.parts;
    this.neighbours.set(keyOf(info.address), info);
    this.isNews = true;
    rules.joined(info);
    rulesHeard();
    if (speaksQuorate(info)) send(info, RULE_CHANGES_MESSAGE, rules.announcement());
  }

  left(info: PeerInfo): void {
    const key = keyOf(info.address);
    if (this.neighbours.get(key)?.id === info.id) this.neighbours.delete(key);
    this.isNews = true;
    this.parts.rules.left(info);
    this.parts.rulesHeard();
  }

  /** Throws when the bytes are malformed. */
  receive(info: PeerInfo, code: number, bytes: Uint8Array): void {
    if (code === RULE_CHANGES_MESSAGE) {
      this.parts.rules.told(info, bytes);
      this.parts.rulesHeard();
    } else if (code === CONNECTIONS_MESSAGE) {
      this.parts.told(info, decodeConnections(bytes));
    }
  }

  /**
   * Reports connections to the peers: periodically, so that a starting network does not send a
   * report for every new connection.
   */
  tick(): void {
    if (!this.isNews) return;
    this.isNews = false;
    const all = [...this.neighbours.values()];
    const bytes = encodeConnections(all.filter(carriesAll).map(({ address }) => address));
    for (const info of all) {
      if (speaksQuorate(info)) this.parts.send(info, CONNECTIONS_MESSAGE, bytes);
    }
  }
}

function speaksQuorate({ capabilities }: PeerInfo): boolean {
  return capabilities.has('quorate');
}

function carriesAll({ capabilities }: PeerInfo): boolean {
  return (capabilities.get('istanbul') ?? 0) >= ISTANBUL_VERSION;
}
