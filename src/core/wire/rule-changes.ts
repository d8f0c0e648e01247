/**
 * `quorate/1`, message 0: rule changes that the eth handshake does not cover. Sent once, at the
 * start: `[[block, digest], …]`, the changes in a node's configuration.
 */
import type { Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { RlpWriter, readList } from '../base/rlp.ts';

export const RULE_CHANGES_MESSAGE = 0;

/** More than the changes of any configuration. */
const CHANGES_MAX = 1024;

interface AnnouncedChange {
  readonly block: number;
  readonly digest: Hash32;
}

export function encodeRuleChanges(changes: readonly AnnouncedChange[]): Uint8Array {
  const writer = new RlpWriter(64 + changes.length * 48);
  writer.list((list) => {
    for (const { block, digest } of changes) {
      list.list((pair) => {
        pair.number(block).string(digest);
      });
    }
  });
  return writer.finish();
}

/** Throws RLP_INVALID or WIRE_INVALID. */
export function decodeRuleChanges(bytes: Uint8Array): AnnouncedChange[] {
  const list = readList(bytes);
  const changes: AnnouncedChange[] = [];
  while (!list.done) {
    if (changes.length >= CHANGES_MAX) {
      throw fail('WIRE_INVALID', `a peer may announce ${CHANGES_MAX} changes of rules`);
    }
    const pair = list.enter();
    changes.push({ block: pair.number(), digest: pair.fixed(32) });
    pair.finish();
  }
  return changes;
}
