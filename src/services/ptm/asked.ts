/**
 * Shows the operator what nodes were told about requested payloads: a node gets the same answer for
 * "not held" and "not ours".
 */
import { toBase64 } from '../../core/base/base64.ts';
import { keyOf } from '../../core/base/bytes.ts';
import { Lru } from '../../core/base/lru.ts';
import type { Log, Metrics } from '../../core/base/ports.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import type { Asked } from './manager/manager.ts';

/** Most payloads remembered as already logged. */
const SAID_MAX = 1024;
const METRICS: Readonly<Record<Asked, string>> = {
  held: 'ptm_asked_held_total',
  notHeld: 'ptm_asked_not_held_total',
  notOurs: 'ptm_asked_not_ours_total',
  damaged: 'ptm_asked_damaged_total',
};
const TEXTS: Readonly<Record<Asked, string>> = {
  held: 'a node requested a payload',
  notHeld:
    'a node requested a payload that is not held: this manager is not a party, or has lost it',
  notOurs: 'a node requested a payload that is held for no key of this manager',
  damaged:
    'a node requested a payload that is for this manager but does not open: run "quorate ptm repair"',
};

export function askedWatch(say: Log, metrics: Metrics): (answer: Asked, hash: PayloadHash) => void {
  for (const name of Object.values(METRICS)) metrics.count(name, 0);
  const said = new Lru<string, true>(SAID_MAX);
  return (answer, hash) => {
    metrics.count(METRICS[answer]);
    if (answer === 'held') return;
    if (answer === 'damaged') {
      if (said.get(keyOf(hash))) return;
      said.set(keyOf(hash), true);
    }
    say(answer === 'damaged' ? 'error' : 'debug', TEXTS[answer], { hash: toBase64(hash) });
  };
}
