/** Limits of what transactions and proposals may cost a validator. */
import type { Limit } from './limit.ts';

const BUDGET = {
  file: 'src/services/ledger/node/consensus/budget.ts',
  test: 'src/services/ledger/node/consensus/budget.test.ts',
};
const FILLER = {
  file: 'src/services/ledger/node/consensus/block-filler.ts',
  test: 'src/services/ledger/node/consensus/hostile-transactions.test.ts',
};
const TRIALS = {
  file: 'src/services/ledger/node/consensus/trials.ts',
  test: 'src/services/ledger/node/consensus/hostile-transactions.test.ts',
};
const CHECK = {
  file: 'src/services/ledger/node/chain/block-check.ts',
  test: 'src/services/ledger/node/chain/block-check.test.ts',
};
const CALL = {
  file: 'src/core/execution/call.ts',
  test: 'src/core/execution/call.test.ts',
};

export const AGREEMENT_LIMITS: readonly Limit[] = [
  {
    name: 'headers that a walk to the last validator snapshot holds',
    file: 'src/core/consensus/bft/snapshots.ts',
    on: 'if (isFull && number > 0) return { missing, start: { number, hash } };',
    off: '',
    test: 'src/core/consensus/bft/snapshots.test.ts',
    only: 'holds the headers',
  },
  {
    name: 'headers read in one turn at the start of a node',
    file: 'src/services/ledger/store/keep-snapshots.ts',
    on: '        await new Promise(setImmediate);\n',
    off: '',
    test: 'src/services/ledger/store/keep-snapshots.service.test.ts',
  },
  {
    name: 'time that logs of an own block cost later',
    file: 'src/services/ledger/node/consensus/block-filler.ts',
    on: 'budget.charge((execution.logBytes - logBytes) * MS_PER_LOG_BYTE);',
    off: '',
    test: 'src/services/ledger/node/consensus/hostile-transactions.test.ts',
    only: 'what logs cost later',
  },
  {
    name: 'trials beside a block',
    file: 'src/services/ledger/node/consensus/trials.ts',
    on: 'blocks.isAtWork ? REST_BESIDE_BLOCK_MS : REST_MS',
    off: 'REST_MS',
    test: 'src/services/ledger/node/consensus/trials.test.ts',
  },
  {
    name: 'bytes of an own block',
    file: 'src/services/ledger/node/consensus/block-filler.ts',
    on: 'filling.bytesLeft -= transaction.raw.length;',
    off: 'filling.bytesLeft -= 0;',
    test: 'src/services/ledger/node/consensus/hostile-transactions.test.ts',
    only: 'transactions of more than 8 MB',
  },
  {
    ...BUDGET,
    name: 'proposer: time of its transactions',
    on: "return this.isSpent() ? 'stop' : verdict;",
    off: 'return verdict;',
  },
  {
    ...BUDGET,
    name: 'proposer: time that passes on a busy machine',
    on: 'return elapsedMs >= this.patienceMs || this.usedMs() >= this.limitMs;',
    off: 'return this.usedMs() >= this.limitMs;',
    only: 'has an end of its patience',
  },
  {
    ...FILLER,
    name: 'proposer: the second half of its time is for small transactions',
    on: "const isOut = await this.walk(filling, 'usual', blockMs / 2);",
    off: "const isOut = await this.walk(filling, 'usual', blockMs);",
  },
  {
    ...FILLER,
    name: 'proposer: a busy machine leaves time for the smallest transactions',
    on: 'costMs !== undefined && costMs > limitMs - budget.usedMs()',
    off: '(costMs ?? 0) > limitMs - budget.elapsedMs()',
    only: 'little time for the node',
  },
  {
    ...FILLER,
    file: 'src/services/ledger/node/consensus/own-block-time.ts',
    name: 'proposer: a flood takes less of each block while the network is slow',
    on: 'blockMs: Math.max(allowedMs, blockMs * SHARE_MIN),',
    off: 'blockMs,',
    only: 'delays only the first blocks',
  },
  {
    ...FILLER,
    file: 'src/services/ledger/node/consensus/own-block-time.ts',
    test: 'src/services/ledger/node/consensus/own-block-time.test.ts',
    name: 'proposer: a tried transaction that a slow network would not decide in the round',
    on: 'transactionMs * Math.min(most, 2 * PROVEN_SHARE * share)',
    off: 'transactionMs * most',
  },
  {
    ...FILLER,
    file: 'src/services/ledger/node/consensus/own-block-time.ts',
    test: 'src/services/ledger/node/consensus/own-block-time.test.ts',
    name: 'proposer: a tried transaction after one that held up the chain',
    on: 'this.restLeft = this.restBlocks;',
    off: '',
  },
  {
    ...FILLER,
    file: 'src/services/ledger/node/consensus/own-block-time.ts',
    test: 'src/services/ledger/node/consensus/own-block-time.test.ts',
    name: 'proposer: a round that passed takes half of its time',
    on: 'this.allow(Math.min(this.allowedMs, bounds.blockMs) / 2, bounds);',
    off: '',
  },
  {
    ...FILLER,
    name: "proposer: bytes are part of a block's time",
    on: 'budget.charge(transaction.raw.length * MS_PER_BYTE);',
    off: '',
    only: 'bytes count as time',
  },
  {
    name: 'new transactions beside a long block',
    file: 'src/services/ledger/node/consensus/block-work.ts',
    on: 'if (this.waiting.length === 0 && !this.isLong()) return undefined;',
    off: 'return undefined;',
    test: 'src/services/ledger/node/consensus/block-work.test.ts',
  },
  {
    name: 'new transactions that continue in one turn after a long block',
    file: 'src/services/ledger/node/consensus/block-work.ts',
    on: 'count < Math.min(countMax, TURN_MAX) && bytes < TURN_BYTES_MAX',
    off: 'count < countMax',
    test: 'src/services/ledger/node/consensus/block-work.test.ts',
  },
  {
    name: "bytes of peers' transactions admitted in one turn",
    file: 'src/core/txpool/arrivals.ts',
    on: ' || bytes >= slice.bytes',
    off: '',
    test: 'src/core/txpool/arrivals.test.ts',
  },
  {
    ...TRIALS,
    name: 'proposer: a transaction that takes longer alone is dropped',
    on: "if (hasCode(error, 'EXECUTION_STOPPED')) return { kind: 'exceeds' };",
    off: "if (hasCode(error, 'EXECUTION_STOPPED')) return { kind: 'unclear' };",
    only: 'delays no block by more than a period',
  },
  {
    ...TRIALS,
    name: 'proposer: transactions that wait to be tried alone',
    on: 'if (this.waiting.size >= TRIALS_MAX) return;',
    off: '',
    test: 'src/services/ledger/node/consensus/trials.test.ts',
  },
  {
    name: 'proposer: a dropped transaction stays out',
    file: 'src/core/txpool/pool.ts',
    on: "if (why !== undefined) throw refused('BARRED', why);",
    off: '',
    test: 'src/core/txpool/pool.test.ts',
    only: 'takes nothing back that was barred',
  },
  {
    name: 'gas of a transaction, where it is bounded',
    file: 'src/core/txpool/admission.ts',
    on: 'gasMax > 0n && transaction.gasLimit > gasMax',
    off: 'gasMax < 0n && transaction.gasLimit > gasMax',
    test: 'src/core/txpool/pool.test.ts',
    only: 'has a bound on gas',
  },
  {
    ...CHECK,
    name: 'a proposal whose round is over',
    on: 'while ([...this.askers].some((isWanted) => isWanted())) {',
    off: 'for (;;) {',
    only: 'pauses while nobody wants it',
  },
  {
    ...CALL,
    name: 'time of a call',
    on: 'if (result.error === VM_ERROR.aborted) throw timedOut(limits);',
    off: '',
    only: 'stops on request',
  },
  {
    ...CALL,
    name: 'time between the runs of an estimate',
    on: 'if (limits.shouldStop?.()) throw timedOut(limits);',
    off: '',
    only: 'between the runs of an estimate',
  },
];
