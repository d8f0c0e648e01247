/**
 * Every protocol has this form: an input in, effects out, no clock of its own. Bad bytes from a
 * peer never make `step` throw: they become a `misbehaved` effect.
 */
export interface Machine<In, Out> {
  step(input: In, nowMs: number): readonly Out[];
}
