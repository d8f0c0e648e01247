import type { Clock } from '../../core/ports.ts';

export const systemClock: Clock = { nowMs: () => Date.now() };
