/** Limits of time and memory while transactions and calls are executed. */
import type { Limit } from './limit.ts';

const VM = { file: 'src/core/evm/vm.ts', test: 'src/core/evm/interpreter.test.ts' };
const MODEXP = { test: 'src/io/crypto/modular-power.test.ts' };
const BOUNDS = { test: 'src/core/evm/wasm/bounds.test.ts' };
const RECEIPTS = { test: 'src/core/chain/receipt.property.test.ts' };
const THREADS = {
  file: 'src/io/threads/task-threads.ts',
  test: 'src/io/threads/task-threads.service.test.ts',
};
const FILTER = {
  file: 'src/services/ledger/api/debug/parity.ts',
  test: 'src/services/ledger/api/debug/parity.test.ts',
};

export const EXECUTION_LIMITS: readonly Limit[] = [
  {
    name: 'cached blocks: bytes of logs',
    file: 'src/core/store/cached-blocks.ts',
    on: 'bytes += DECODED_BYTES + bytesOfLogs(logs);',
    off: 'bytes += DECODED_BYTES;',
    test: 'src/core/store/cached-blocks.test.ts',
  },
  {
    name: 'cached blocks: bytes of transactions',
    file: 'src/core/store/cached-blocks.ts',
    on: 'bytes += DECODED_BYTES + raw.length;',
    off: 'bytes += DECODED_BYTES;',
    test: 'src/core/store/cached-blocks.test.ts',
  },
  {
    ...VM,
    name: 'precompiles: costly ones run in pieces',
    on: 'if (left && price > PRECOMPILE_GAS_AT_ONCE && precompile.inPieces) {',
    off: 'if (left && price < 0 && precompile.inPieces) {',
    only: 'is asked before a costly precompile',
  },
  {
    ...VM,
    name: 'precompiles: time between their pieces',
    on: 'work.isPolled = true;\n        this.poll();',
    off: 'work.isPolled = true;',
    only: 'is asked before a costly precompile',
  },
  {
    ...VM,
    name: 'precompiles: time of many cheap ones',
    on: 'if (left) this.opcodesToPoll -= Math.ceil(price / PRECOMPILE_GAS_AN_OPCODE);',
    off: '',
    only: 'however much an opcode does',
  },
  {
    ...MODEXP,
    name: 'modexp: long powers run in slices',
    file: 'src/io/crypto/modular-power-wasm.ts',
    on: 'if (exponent.length > count) {',
    off: 'if (exponent.length < 0) {',
    only: 'that others come between',
  },
  {
    ...MODEXP,
    name: 'modexp: time of a slice',
    file: 'src/io/crypto/modular-power-wasm.ts',
    on: 'const SLICE_MICROSECONDS = 1_000;',
    off: 'const SLICE_MICROSECONDS = 100_000;',
    only: 'that others come between',
  },
  {
    ...MODEXP,
    name: 'modexp: slices of numbers too long for the module',
    file: 'src/core/evm/precompiles/modexp.ts',
    on: 'if (result <= 1n && i >= end) return result;\n    yield;',
    off: 'if (result <= 1n && i >= end) return result;',
    only: 'too long for the module',
  },
  {
    name: 'pairings: pairs of a piece',
    file: 'src/io/crypto/bn254-wasm.ts',
    test: 'src/io/crypto/bn254-wasm.test.ts',
    on: 'yield;\n        memory.set(kept, product);',
    off: 'memory.set(kept, product);',
    only: 'in pieces that others come between',
  },
  {
    ...BOUNDS,
    name: 'EVM in WebAssembly: bytes of an idle instance',
    file: 'src/core/evm/wasm/wasm-loop.ts',
    on: 'if (isSmall && kept.length',
    off: 'if ((isSmall || true) && kept.length',
    only: 'is not kept',
  },
  {
    ...BOUNDS,
    name: 'EVM in WebAssembly: idle instances',
    file: 'src/core/evm/wasm/wasm-loop.ts',
    on: 'kept.length < MACHINES_KEPT',
    off: 'kept.length < 1e9 * MACHINES_KEPT',
    only: 'is not kept',
  },
  {
    ...BOUNDS,
    name: 'EVM in WebAssembly: codes of an instance',
    file: 'src/core/evm/wasm/code-space.ts',
    on: 'if (end > this.machine.constants.CODES_END) return undefined;',
    off: 'if (end > 2 * this.machine.constants.CODES_END) return undefined;',
    only: 'codes of 4 MB',
  },
  {
    ...RECEIPTS,
    name: 'receipts: bytes hashed in one piece',
    file: 'src/core/chain/receipt.ts',
    on: 'if (bytes > PIECE_BYTES) return yield* deriveRootInPieces(',
    off: 'if (bytes < 0) return yield* deriveRootInPieces(',
    only: 'root of receipts',
  },
  {
    ...RECEIPTS,
    name: 'receipts: bytes of many that are hashed in one piece',
    file: 'src/core/chain/derive-root.ts',
    on: 'bytes = 0;\n    yield;',
    off: '',
    only: 'root of many short receipts',
  },
  {
    ...RECEIPTS,
    name: 'receipts: logs of a bloom in one piece',
    file: 'src/core/chain/bloom.ts',
    on: 'if (logs.length <= LOGS_AT_ONCE) return bloomOfLogs(logs);',
    off: 'if (logs.length >= 0) return bloomOfLogs(logs);',
    only: 'bloom of logs',
  },
  {
    name: 'receipts: logs read in one piece',
    file: 'src/core/execution/block-execution.ts',
    test: 'src/core/execution/block-execution.test.ts',
    on: 'if (logs.length % LOGS_AT_ONCE === 0) yield* breathe(this.ask, PIECE_GAS);',
    off: '',
    only: 'pauses while its logs are read',
  },
  {
    ...THREADS,
    name: 'readers: heap of one',
    on: 'resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes },',
    off: '',
    only: 'run out of memory',
  },
  {
    ...THREADS,
    name: 'readers: the last one runs nothing long',
    on: 'return busy < this.options.count - 1;',
    off: 'return busy < this.options.count;',
    only: 'free of long tasks',
  },
  {
    ...FILTER,
    name: 'trace_filter: blocks',
    on: 'if (to! - from! >= FILTERED_BLOCKS_MAX)',
    off: 'if (to! < 0)',
  },
  {
    ...FILTER,
    name: 'trace_filter: traces',
    on: 'Math.min(countOf(given.count, FILTERED_TRACES_MAX), FILTERED_TRACES_MAX)',
    off: 'countOf(given.count, FILTERED_TRACES_MAX)',
  },
  {
    name: 'tracers of one muxTracer',
    file: 'src/services/ledger/api/debug/tracers.ts',
    on: 'wanted.length > MUX_TRACERS_MAX || ',
    off: '',
    test: 'src/services/ledger/api/debug/tracers.test.ts',
    only: 'in one muxTracer',
  },
  {
    name: 'tracers in JavaScript: stack',
    file: 'src/io/quickjs/sandbox.ts',
    on: 'runtime.setMaxStackSize(limits.stackBytes);',
    off: '',
    test: 'src/services/ledger/api/debug/scripts.service.test.ts',
    only: 'is refused in words',
  },
];
