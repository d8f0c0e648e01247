/** What nodes were told of the payloads that they asked for, for the operator: "not held" and "not ours" are one answer to a node. */
import { toBase64 } from '../../core/base/base64.ts';
import { keyOf } from '../../core/base/bytes.ts';
import { Lru } from '../../core/base/lru.ts';
import type { Log, Metrics } from '../../core/base/ports.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import type { Asked } from './manager/manager.ts';

/** Payloads whose fault is not said again. */
const SAID_MAX = 1024;
const METRICS: Readonly<Record<Asked, string>> = {
  held: 'ptm_asked_held_total',
  notHeld: 'ptm_asked_not_held_total',
  notOurs: 'ptm_asked_not_ours_total',
  damaged: 'ptm_asked_damaged_total',
};
const TEXTS: Readonly<Record<Asked, string>> = {
  held: 'a payload was asked for',
  notHeld: 'a payload was asked for that is not held: this manager is not a party, or has lost it',
  notOurs: 'a payload was asked for that is held for no key of this manager',
  damaged: 'a payload was asked for that is ours and does not open: run "quorate ptm repair"',
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
