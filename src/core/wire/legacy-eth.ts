/**
 * eth as carried by istanbul/64 and /99: eth/65 and earlier, where requests and replies have no
 * ids. The bodies are those of eth/66, so only the id is removed and added.
 */
import { RlpReader, RlpWriter } from '../base/rlp.ts';
import { ETH_MESSAGE, isExchange } from './eth.ts';

/** Reported as the version of eth: the last one without announcements of transactions. */
export const LEGACY_ETH_VERSION = 64;
/** Maximum of requests to one peer that wait for a reply. */
const ASKED_MAX = 64;

const REQUESTS: ReadonlySet<number> = new Set([
  ETH_MESSAGE.getBlockHeaders,
  ETH_MESSAGE.getBlockBodies,
  ETH_MESSAGE.getPooledTransactions,
  ETH_MESSAGE.getNodeData,
  ETH_MESSAGE.getReceipts,
]);

/** Holds, for one peer, which of our requests its next reply answers. */
export class LegacyEth {
  /** Ids by the code of the reply, oldest first: a peer answers in order. */
  private readonly asked = new Map<number, bigint[]>();

  /**
   * Converts the body of an eth/66 message to the form that the peer reads. COMPAT: GoQuorum keeps
   * the id, and /99 peers disconnect because of it.
   */
  outgoing(code: number, bytes: Uint8Array): Uint8Array {
    if (!isExchange(code)) return bytes;
    const reader = new RlpReader(bytes).enter();
    const id = reader.bigint(8);
    if (REQUESTS.has(code)) this.expect(code + 1, id);
    return reader.raw();
  }

  /** Converts the peer's message to the body of an eth/66 message. Throws RLP_INVALID. */
  incoming(code: number, bytes: Uint8Array): Uint8Array {
    if (!isExchange(code)) return bytes;
    const outer = new RlpReader(bytes);
    const body = outer.raw();
    outer.finish();
    const id = REQUESTS.has(code) ? 0n : (this.asked.get(code)?.shift() ?? 0n);
    return new RlpWriter(bytes.length + 16).list((w) => w.bigint(id).raw(body)).finish();
  }

  private expect(replyCode: number, id: bigint): void {
    const ids = this.asked.get(replyCode) ?? [];
    this.asked.set(replyCode, ids);
    ids.push(id);
    if (ids.length > ASKED_MAX) ids.shift();
  }
}
