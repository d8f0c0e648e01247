/**
 * Digests of the latest private transactions, for peers that are party to everything that these
 * depend on: computed while blocks are run again, in order from the first.
 */

import { fromBase64 } from '../../../../core/base/base64.ts';
import { equalBytes, type Hash32 } from '../../../../core/base/bytes.ts';
import { hasCode } from '../../../../core/base/errors.ts';
import { keccak256 } from '../../../../core/base/keccak.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import type { Manager, PayloadDigest } from '../../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../../core/privacy/marker.ts';
import type { TracedBlock } from './block-audit.ts';
import { type Lineage, Lineages, type TransactionDigest } from './lineages.ts';

/** Limit for all private states together, because they are sent in one message. */
const DIGESTS_MAX = 256;
/**
 * Maximum number of parties listed with a digest; transactions of larger groups are not compared.
 */
const PARTIES_MAX = 32;
/** The manager is asked for the parties of so many transactions together. */
const RUNS_AT_ONCE = 64;

interface Kept extends TransactionDigest {
  readonly psi: Psi;
}

export class PrivateDigests {
  private readonly manager: Manager;
  private readonly lineages = new Map<Psi, Lineages>();
  private kept: Kept[] = [];

  constructor(manager: Manager) {
    this.manager = manager;
  }

  /** Rejects when the manager does not answer; the block may then be added again. */
  async add({ psi, number, isAsRecorded, written, runs }: TracedBlock): Promise<void> {
    const lineages = this.lineagesOf(psi);
    if (!isAsRecorded) {
      lineages.forget(number, written);
      return;
    }
    const transactions = [];
    for (let at = 0; at < runs.length; at += RUNS_AT_ONCE) {
      const part = runs.slice(at, at + RUNS_AT_ONCE).map(async (run) => {
        const { index, payloads, sender, trace } = run;
        return {
          index,
          payload: payloads[0]!,
          parties: await this.partiesOf(payloads, sender),
          trace,
        };
      });
      transactions.push(...(await Promise.all(part)));
    }
    const found = lineages.follow(number, transactions);
    this.kept.push(...found.map((digest) => ({ ...digest, psi })));
  }

  /** Drops the oldest digests, except those of `payloads`. */
  trim(payloads: readonly PayloadHash[]): void {
    const surplus = this.kept.length - DIGESTS_MAX;
    if (surplus <= 0) return;
    const old = this.kept.slice(0, surplus);
    const stays = ({ payload }: Kept) => payloads.some((each) => equalBytes(each, payload));
    this.kept = [...old.filter(stays), ...this.kept.slice(surplus)];
  }

  /** The digests that the manager may send to the parties of each payload. */
  reportOf(psi: Psi): PayloadDigest[] {
    return this.kept.flatMap(({ psi: own, number, payload, history, outcome, parties }) => {
      if (own !== psi || parties.length < 2) return [];
      const digest = keccak256(Buffer.concat([history, outcome]));
      return [{ number, payload, digest, parties: parties.map(fromBase64) }];
    });
  }

  /** The history of a transaction; undefined unless it is one of the newest. */
  historyOf(psi: Psi, payload: PayloadHash): Hash32 | undefined {
    const of = (each: Kept) => each.psi === psi && equalBytes(each.payload, payload);
    return this.kept.find(of)?.history;
  }

  /** The lineage of an account; `key`: keyOf(address). */
  lineageOf(psi: Psi, key: string): Lineage | undefined {
    return this.lineages.get(psi)?.of(key);
  }

  private lineagesOf(psi: Psi): Lineages {
    const lineages = this.lineages.get(psi) ?? new Lineages();
    this.lineages.set(psi, lineages);
    return lineages;
  }

  /** Keys that are party to all of `payloads`, according to the manager. */
  private async partiesOf(
    payloads: readonly PayloadHash[],
    sender: string | undefined,
  ): Promise<readonly string[]> {
    if (sender === undefined || !this.manager.compare) return [];
    const lists: (readonly string[])[] = [];
    for (const payload of payloads) {
      try {
        lists.push([...(await this.manager.participants(payload)), sender]);
      } catch (error) {
        if (!hasCode(error, 'PTM_REFUSED')) throw error;
        return [];
      }
    }
    const [first = [], ...rest] = lists;
    if (first.length > PARTIES_MAX) return [];
    return [...new Set(first)].filter((key) => rest.every((list) => list.includes(key)));
  }
}
