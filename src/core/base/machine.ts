/**
 * Every protocol has this form: it takes inputs, returns effects and has no clock of its own. Bad
 * bytes from a peer never make `step` throw: they become a `misbehaved` effect.
 */
export interface Machine<In, Out> {
  step(input: In, nowMs: number): readonly Out[];
}
