import { randomBytes } from 'node:crypto';
import type { Entropy } from '../../core/base/ports.ts';

export const systemEntropy: Entropy = { bytes: (length) => new Uint8Array(randomBytes(length)) };
