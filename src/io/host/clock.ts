import type { Clock } from '../../core/base/ports.ts';

export const systemClock: Clock = { nowMs: () => Date.now() };
