import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { TABLES } from '../../core/store/keys.ts';
import { IndexState } from './index-state.ts';

const A_DAY_MS = 86_400_000;

afterEach(() => vi.useRealTimers());

it('a process outlives that it cannot note how long it has run', () => {
  vi.useFakeTimers();
  const folder = scratchFolder('quorate-index-state-');
  const store = join(folder, 'store');
  new IndexState(store, TABLES).begin();
  rmSync(store, { recursive: true });
  expect(() => vi.advanceTimersByTime(A_DAY_MS)).not.toThrow();
});
