/** The logs of a block that one caller may see. */
import type { Block } from '../../../core/chain/block.ts';
import type { Log, Receipt } from '../../../core/chain/receipt.ts';
import { isPrivacyMarker } from '../../../core/privacy/marker.ts';
import { firstLogs } from './first-logs.ts';
import type { LogMatcher } from './log-matcher.ts';
import type { PartyView } from './party-view.ts';

export interface FoundLog {
  readonly log: Log;
  readonly block: Block;
  readonly transactionIndex: number;
  /** Position of the log in the block. */
  readonly logIndex: number;
}

/** Whether a block may contain such logs, according to its blooms. */
export function mayHoldLogs(view: PartyView, number: number, matcher: LogMatcher): boolean {
  return matcher.mayMatch(view.blooms(number));
}

/**
 * Logs of one block: first those of its own transactions, then those that privacy markers hide, as
 * in GoQuorum (eth/api_backend.go, GetLogs).
 */
export function logsOfBlock(view: PartyView, number: number, matcher: LogMatcher): FoundLog[] {
  if (!mayHoldLogs(view, number, matcher)) return [];
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
      if (matcher.matches(log)) list.push({ log, block, transactionIndex, logIndex });
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
