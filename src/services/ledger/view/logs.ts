/** Log queries and polled filters over what one caller may see. */
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import type { Block } from '../../../core/chain/block.ts';
import { bloomMayContain } from '../../../core/chain/bloom.ts';
import type { Log, Receipt } from '../../../core/chain/receipt.ts';
import { isPrivacyMarker } from '../../../core/privacy/marker.ts';
import { firstLogs } from './first-logs.ts';
import type { PartyView } from './party-view.ts';

export interface LogQuery {
  /** Accounts of which any may have emitted the log; empty: any account. */
  readonly addresses: readonly Address[];
  /** By position: topics of which any may match; empty: any topic. */
  readonly topics: readonly (readonly Hash32[])[];
}

export interface FoundLog {
  readonly log: Log;
  readonly block: Block;
  readonly transactionIndex: number;
  /** Position of the log in the block. */
  readonly logIndex: number;
}

export const MATCH_ALL: LogQuery = { addresses: [], topics: [] };

function matches(log: Log, query: LogQuery): boolean {
  if (query.addresses.length > 0) {
    const key = keyOf(log.address);
    if (!query.addresses.some((address) => keyOf(address) === key)) return false;
  }
  if (query.topics.length > log.topics.length) return false;
  return query.topics.every((wanted, position) => {
    if (wanted.length === 0) return true;
    const key = keyOf(log.topics[position]!);
    return wanted.some((topic) => keyOf(topic) === key);
  });
}

function mayMatch(blooms: readonly Uint8Array[], query: LogQuery): boolean {
  const groups = [query.addresses, ...query.topics].filter((group) => group.length > 0);
  return blooms.some((bloom) =>
    groups.every((group) => group.some((entry) => bloomMayContain(bloom, entry))),
  );
}

/** Whether a block may contain such logs, according to its blooms. */
export function mayHoldLogs(view: PartyView, number: number, query: LogQuery): boolean {
  return mayMatch(view.blooms(number), query);
}

/**
 * Logs of one block: first those of its own transactions, then those that privacy markers hide, as
 * in GoQuorum (eth/api_backend.go, GetLogs).
 */
export function logsOfBlock(view: PartyView, number: number, query: LogQuery): FoundLog[] {
  if (!mayMatch(view.blooms(number), query)) return [];
  const block = view.block(number);
  const receipts = view.receipts(number);
  if (!block || !receipts) return [];
  const [found, hidden]: [FoundLog[], FoundLog[]] = [[], []];
  const firsts = firstLogIndexes(view, block, receipts);
  const rules = view.rulesAt(block.header);
  for (const [transactionIndex, { logs }] of receipts.entries()) {
    if (logs.length === 0) continue;
    const list = isPrivacyMarker(block.transactions[transactionIndex]!, rules) ? hidden : found;
    for (const [at, log] of logs.entries()) {
      const logIndex = firsts[transactionIndex]! + at;
      if (matches(log, query)) list.push({ log, block, transactionIndex, logIndex });
    }
  }
  return [...found, ...hidden];
}

/** `firstLogs` of a block, as the caller sees it. */
export function firstLogIndexes(
  view: PartyView,
  block: Block,
  receipts: readonly Receipt[],
): number[] {
  const rules = view.rulesAt(block.header);
  return firstLogs(
    receipts.map(({ logs }, index) => ({
      count: logs.length,
      isHidden: isPrivacyMarker(block.transactions[index]!, rules),
    })),
  );
}

/** That of one transaction; later ones are not looked at. */
export function firstLogIndex(
  view: PartyView,
  block: Block,
  receipts: readonly Receipt[],
  index: number,
): number {
  return firstLogIndexes(view, block, receipts.slice(0, index + 1))[index]!;
}
