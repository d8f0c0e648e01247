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
    name: 'migrate datadir: blocks handed over at once',
    file: 'src/services/ledger/migration/block-batch.ts',
    on: 'return this.blocks.length >= BATCH_BLOCKS || this.bytes >= BATCH_BYTES;',
    off: 'return this.blocks.length >= 4 * BATCH_BLOCKS;',
    test: 'src/services/ledger/migration/block-batch.test.ts',
  },
  {
    name: 'migrate datadir: a part of a state',
    file: 'src/services/ledger/migration/state-batch.ts',
    on: 'return this.bytes >= PART_BYTES;',
    off: 'return this.bytes >= 4 * PART_BYTES;',
    test: 'src/services/ledger/migration/state-batch.test.ts',
  },
  {
    name: 'migrate manager: a value of an SQL export',
    file: 'src/io/database/sql-tokens.ts',
    on: 'if (rest.length > this.tokenBytesMax) {',
    off: 'if (rest.length < 0) {',
    test: 'src/io/database/sql-dump.service.test.ts',
    only: 'holds no more of a value',
  },
  {
    name: 'import: signers of seals that were recovered ahead',
    file: 'src/core/consensus/recovered-seals.ts',
    on: 'new Lru<string, Address>(SIGNERS_MAX)',
    off: 'new Lru<string, Address>(SIGNERS_MAX * 1_000)',
    test: 'src/core/consensus/recovered-seals.test.ts',
    only: 'keeps no more signers',
  },
  {
    name: 'migrate datadir: memory with mapped files',
    file: 'src/io/host/resident-memory.ts',
    on: 'await this.giveBack();',
    off: '',
    test: 'src/io/host/resident-memory.service.test.ts',
  },
  {
    name: 'migrate datadir --execute: garbage in memory',
    file: 'src/io/host/heap-growth.ts',
    on: 'setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);',
    off: '',
    test: 'src/io/host/heap-growth.service.test.ts',
  },
  {
    name: 'compiled code: all files of a folder',
    file: 'src/io/bundle/code-folder.ts',
    on: 'if (sum > bytes) rmSync(path);',
    off: '',
    test: 'src/io/bundle/code-folder.service.test.ts',
    only: 'the oldest files make room',
  },
  {
    name: 'compiled code: a file that is read',
    file: 'src/io/bundle/code-folder.ts',
    on: 'stats.size <= bytesMax',
    off: 'stats.size >= 0',
    test: 'src/io/bundle/code-folder.service.test.ts',
    only: 'neither written nor read',
  },
];
