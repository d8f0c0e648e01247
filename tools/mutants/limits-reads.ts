/** Limits of reads for clients: logs, traces, listings, filters, and reader threads. */
import type { Limit } from './limit.ts';

const LOGS = {
  file: 'src/services/ledger/api/eth/logs.ts',
  test: 'src/services/ledger/api/eth/logs.test.ts',
};
const ROOM = { file: 'src/services/ledger/api/answer-room.ts', test: LOGS.test };
const LISTED = { test: 'src/services/ledger/api/answer-room.test.ts' };
const TRACERS = {
  file: 'src/services/ledger/api/debug/tracers.ts',
  test: 'src/services/ledger/api/debug/tracers.test.ts',
};
const QUEUE = { file: 'src/io/threads/fair-queue.ts', test: 'src/io/threads/fair-queue.test.ts' };
const GRAPHQL = { test: 'src/services/ledger/graphql/graphql.service.test.ts' };
const QUERY_TEXT = { ...GRAPHQL, file: 'src/services/ledger/graphql/document-limits.ts' };
const QUERY_ROOM = { ...GRAPHQL, file: 'src/services/ledger/graphql/query-room.ts' };

const SCRIPTS = {
  test: 'src/services/ledger/api/debug/scripts.service.test.ts',
  file: 'src/io/quickjs/sandbox.ts',
};

const SIMULATION = {
  test: 'src/services/ledger/api/eth/simulate.service.test.ts',
  file: 'src/services/ledger/api/eth/simulate.ts',
};

const ENCODED = {
  test: 'src/services/ledger/api/eth/encoded-blocks.test.ts',
  file: 'src/services/ledger/api/eth/encoded-blocks.ts',
};

export const READ_LIMITS: readonly Limit[] = [
  {
    ...ENCODED,
    name: 'blocks kept as text: their size',
    on: 'max: CHARACTERS_MAX,',
    off: 'max: Number.POSITIVE_INFINITY,',
  },
  {
    ...ENCODED,
    name: 'blocks kept as text: one larger than all',
    on: 'if (made.text.length <= CHARACTERS_MAX) ',
    off: '',
  },
  {
    ...ENCODED,
    name: 'blocks kept as text: their number',
    on: 'new Lru<string, RawJson>(BLOCKS_MAX, {',
    off: 'new Lru<string, RawJson>(1_000 * BLOCKS_MAX, {',
  },
  {
    name: 'accounts: transactions of a page',
    file: 'src/services/ledger/api/ots/search.ts',
    test: 'src/services/ledger/api/ots/search.test.ts',
    on: 'return Math.min(asked, PAGE_MAX);',
    off: 'return asked;',
  },
  {
    name: 'accounts: reached by internal calls of a transaction',
    file: 'src/core/execution/reached-accounts.ts',
    test: 'src/core/store/accounts/block-accounts.test.ts',
    on: ': this.entries.size >= REACHED_MAX) return;',
    off: ': false) return;',
  },
  {
    name: 'accounts: parties of token transfers of a transaction',
    file: 'src/core/store/accounts/block-accounts.ts',
    test: 'src/core/store/accounts/block-accounts.test.ts',
    on: 'if (++count > REACHED_MAX) break;',
    off: '++count;',
  },
  {
    name: 'accounts: entries that wait for the disk',
    file: 'src/services/ledger/node/accounts/account-indexer.ts',
    test: 'src/services/ledger/node/accounts/account-indexer.test.ts',
    on: 'return index.isFull ? this.writing : undefined;',
    off: 'return undefined;',
  },
  {
    name: 'development: blocks of one call',
    file: 'src/services/ledger/api/development/blocks.ts',
    test: 'src/services/ledger/node/development/development.service.test.ts',
    on: 'if (parsed > BigInt(BLOCKS_MAX))',
    off: 'if (parsed < 0n)',
    only: 'bounds what one call makes',
  },
  {
    ...SIMULATION,
    name: 'simulations: calls of a block',
    on: 'if (most > CALLS_PER_BLOCK_MAX)',
    off: 'if (most < 0)',
    only: 'of blocks and calls',
  },
  {
    ...SIMULATION,
    name: 'simulations: calls',
    on: 'if (total > CALLS_MAX)',
    off: 'if (total < 0)',
    only: 'of blocks and calls',
  },
  {
    ...SIMULATION,
    file: 'src/services/ledger/api/eth/simulated-chain.ts',
    name: 'simulations: blocks',
    on: 'if (wanted - base.number > SIMULATED_BLOCKS_MAX)',
    off: 'if (wanted > 10_000_000_000)',
    only: 'of blocks and calls',
  },
  {
    ...SIMULATION,
    file: 'src/core/execution/simulated-calls.ts',
    name: 'simulations: gas of all calls together',
    on: 'this.gasLeft -= gasUsed;',
    off: '',
    only: 'of gas: that of one call',
  },
  {
    ...SIMULATION,
    file: 'src/core/execution/simulated-calls.ts',
    name: 'simulations: gas of a block',
    on: 'if (asked > left)',
    off: 'if (asked < 0n)',
    only: 'of gas in a block',
  },
  {
    ...SIMULATION,
    file: 'src/core/execution/simulated-calls.ts',
    name: 'simulations: time',
    on: 'pace: paceUntil(options.limits.shouldStop),',
    off: 'pace: paceUntil(undefined),',
    test: 'src/core/execution/simulation.test.ts',
  },
  {
    ...SIMULATION,
    name: 'simulations: bytes of the answer',
    on: 'spend: (bytes) => room.take(2 * bytes),',
    off: 'spend: () => {},',
    only: 'at the bytes of one answer',
  },
  {
    ...SCRIPTS,
    name: 'tracers in JavaScript: memory of one request',
    on: 'const maximum = Math.floor(memoryBytes / PAGE_BYTES);',
    off: 'const maximum = 32_768 + 0 * memoryBytes;',
    only: 'share its memory',
  },
  {
    ...SCRIPTS,
    name: 'tracers in JavaScript: time',
    on: 'runtime.setInterruptHandler(() => limits.shouldStop());',
    off: '',
    only: 'that does not end',
  },
  {
    name: 'files of blocks that are written or read',
    file: 'src/services/ledger/chain-files.ts',
    on: 'if (this.running || this.isEnding)',
    off: 'if (this.isEnding)',
    test: 'src/services/ledger/chain-files.service.test.ts',
    only: 'one file at a time',
  },
  {
    ...GRAPHQL,
    name: 'GraphQL: words of a query',
    file: 'src/services/ledger/graphql/answer.ts',
    on: 'maxTokens: TOKENS_MAX',
    off: 'maxTokens: 100 * TOKENS_MAX',
    only: 'words of a query',
  },
  {
    ...QUERY_TEXT,
    name: 'GraphQL: fields within each other',
    on: 'if (depth > DEPTH_MAX)',
    off: 'if (depth < 0)',
    only: 'fields within each other',
  },
  {
    ...QUERY_TEXT,
    name: 'GraphQL: queries about the schema',
    on: 'if (cost > INTROSPECTION_COST_MAX)',
    off: 'if (cost < 0)',
    only: 'questions about the schema',
  },
  {
    ...QUERY_TEXT,
    name: 'GraphQL: transactions of a mutation',
    on: '&& width > MUTATIONS_MAX)',
    off: '&& width < 0)',
    only: 'transactions of a mutation',
  },
  {
    ...QUERY_ROOM,
    name: 'GraphQL: fields of an answer',
    on: 'if (this.fields > FIELDS_MAX)',
    off: 'if (this.fields < 0)',
    only: 'fields of an answer',
  },
  {
    ...QUERY_ROOM,
    name: 'GraphQL: bytes of an answer',
    on: 'if (this.bytes > BYTES_MAX)',
    off: 'if (this.bytes < 0)',
    only: 'bytes, and payloads',
  },
  {
    ...QUERY_ROOM,
    name: 'GraphQL: private payloads',
    on: 'if (++this.payloads > PAYLOADS_MAX)',
    off: 'if (++this.payloads < 0)',
    only: 'bytes, and payloads',
  },
  {
    ...QUERY_ROOM,
    name: 'GraphQL: time of a query',
    on: 'if (shouldStop?.())',
    off: 'if (shouldStop === undefined && timeoutText === undefined && this.fields < 0)',
    only: 'ends with the time of one call',
  },
  {
    ...ROOM,
    name: 'an answer, in bytes',
    on: 'if (this.left < 0) {',
    off: 'if (this.left > 1e15) {',
  },
  {
    ...ROOM,
    name: 'a search whose client has gone',
    on: '% LOOK_EVERY === 0 && this.isGivenUp())',
    off: '% LOOK_EVERY > LOOK_EVERY)',
  },
  {
    ...LOGS,
    name: 'getLogs: bytes of its logs',
    on: 'room.take(LOG_BYTES + 2 * each.log.data.length);',
    off: '',
  },
  {
    ...LOGS,
    name: 'getLogs: number of logs',
    on: 'if (count > LOGS_PER_REPLY_MAX) {',
    off: 'if (count < 0) {',
  },
  {
    ...LOGS,
    name: 'getLogs: blocks',
    on: 'if (to - from >= LOG_BLOCKS_MAX) {',
    off: 'if (to < 0) {',
  },
  {
    name: 'listings of state: accounts and code',
    file: 'src/core/state/dump.ts',
    on: 'spend(ACCOUNT_BYTES + 2 * code.length);',
    off: '',
    test: 'src/core/state/dump.test.ts',
  },
  {
    ...LISTED,
    name: 'receipts of a block',
    file: 'src/services/ledger/api/receipts.ts',
    on: 'room.take(logs.reduce(',
    off: 'void (logs.reduce(',
    only: 'receipts of a block',
  },
  {
    ...LISTED,
    name: 'proofs: bytes and time',
    file: 'src/core/state/proof.ts',
    on: 'spend(lengthOf(',
    off: 'void (lengthOf(',
    only: 'proofs, slot by slot',
  },
  {
    ...LISTED,
    name: 'keys of one proof',
    file: 'src/services/ledger/api/eth/state.ts',
    on: 'if (value.length > PROOF_KEYS_MAX)',
    off: 'if (value.length < 0)',
    only: 'keys of one proof',
  },
  {
    ...LISTED,
    name: 'ranges of storage whose client has gone',
    file: 'src/core/state/dump.ts',
    on: 'spend(2 * SLOT_BYTES);',
    off: '',
    only: 'storage',
  },
  {
    ...LISTED,
    name: 'transactions of the pool',
    file: 'src/services/ledger/api/txpool.ts',
    on: 'room.take(TRANSACTION_BYTES + 2 * transaction.data.length);',
    off: '',
    only: 'the pool',
  },
  {
    ...TRACERS,
    name: 'struct logs',
    on: 'if (room.words > TRACED_WORDS_MAX) {',
    off: 'if (room.words < 0) {',
  },
  {
    ...TRACERS,
    name: 'call and prestate traces',
    on: 'if (room.bytes <= TRACED_BYTES_MAX) return;',
    off: 'if (room.bytes >= 0) return;',
  },
  {
    ...QUEUE,
    name: 'reads that wait, of one client',
    on: 'if (found && found.count >= perClient)',
    off: 'if (found && found.count < 0)',
  },
  {
    ...QUEUE,
    name: 'reads that wait, of all',
    on: 'if (this.waiting >= total)',
    off: 'if (this.waiting < 0)',
  },
  {
    name: 'reads sent to a thread behind one that takes long',
    file: 'src/io/threads/task-threads.ts',
    on: 'if (next) Atomics.store(this.flags, FLAG.takeBack, next.id);',
    off: '',
    test: 'src/io/threads/task-threads.service.test.ts',
    only: 'behind one that takes long',
  },
  {
    name: 'reads that run, of a slow client',
    file: 'src/io/threads/task-threads.ts',
    on: 'if (this.queue.runningOfSlow(asker.client) >= this.options.count - 1) return false;',
    off: '',
    test: 'src/io/threads/task-threads.service.test.ts',
    only: 'a client whose requests take long',
  },
  {
    name: 'tries on the main thread, of a second',
    file: 'src/io/rpc/first-try.ts',
    on: 'if (this.wastedMs >= WASTED_MS_MAX) return undefined;',
    off: '',
    test: 'src/io/rpc/first-try.test.ts',
  },
  {
    name: 'requests that wait for an external signer',
    file: 'src/services/ledger/keys/external-signer.ts',
    on: "if (this.waiting >= WAITING_MAX) throw this.unavailable('too many requests wait for it');",
    off: '',
    test: 'src/services/ledger/keys/external-signer.service.test.ts',
    only: 'has so many requests waiting, and no more',
  },
];
