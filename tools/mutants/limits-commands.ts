/** Limits of commands. */
import type { Limit } from './limit.ts';

export const COMMAND_LIMITS: readonly Limit[] = [
  {
    name: 'migrate datadir: rows of one commit',
    file: 'src/core/store/waiting-rows.ts',
    on: 'if (keys.length > 0 && bytes > bytesMax) break;',
    off: '',
    test: 'src/core/store/waiting-rows.property.test.ts',
    only: 'are moved by commits of 4 MB at most',
  },
  {
    name: 'migrate datadir: memory with mapped files',
    file: 'src/io/host/resident-memory.ts',
    on: 'await this.giveBack();',
    off: '',
    test: 'src/io/host/resident-memory.test.ts',
  },
];
