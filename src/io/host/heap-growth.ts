/**
 * V8 lets garbage grow to two or three times the memory in use before it collects it, because that
 * takes the least time.
 */
import { setFlagsFromString } from 'node:v8';

/** Garbage grows to this share of the memory in use. */
const GARBAGE_PERCENT = 40;

/** From now on: for long commands that share their machine with nodes. */
export function keepGarbageSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
}
