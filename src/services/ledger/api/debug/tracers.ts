/**
 * Tracers by name, chosen by the caller. Without `tracerConfig` they print what geth 1.10.3 prints;
 * with one, what newer geth prints.
 */
import { fail } from '../../../../core/base/errors.ts';
import type { Spend } from '../../../../core/base/spend.ts';
import { intrinsicGas } from '../../../../core/chain/intrinsic-gas.ts';
import { precompileAt } from '../../../../core/evm/precompiles/index.ts';
import type { Step, Tracer } from '../../../../core/evm/tracer.ts';
import { CallTracer } from '../../../../core/evm/tracers/call.ts';
import { LegacyCallTracer } from '../../../../core/evm/tracers/call-legacy.ts';
import {
  BigramTracer,
  NoopTracer,
  OpcountTracer,
  TrigramTracer,
  UnigramTracer,
} from '../../../../core/evm/tracers/counters.ts';
import { FlatCallTracer } from '../../../../core/evm/tracers/flat-call.ts';
import { FourByteTracer } from '../../../../core/evm/tracers/four-byte.ts';
import { MuxTracer } from '../../../../core/evm/tracers/mux.ts';
import { PrestateTracer } from '../../../../core/evm/tracers/prestate.ts';
import { LegacyPrestateTracer } from '../../../../core/evm/tracers/prestate-legacy.ts';
import { type StructLogOptions, StructLogTracer } from '../../../../core/evm/tracers/struct-log.ts';
import { VmTracer } from '../../../../core/evm/tracers/vm.ts';
import type { World } from '../../../../core/state/world.ts';
import type { ScriptEngine } from '../../../../io/quickjs/sandbox.ts';
import { type Json, RawJson } from '../../../../io/rpc/method.ts';
import { ScriptTracer } from './script-tracer.ts';
import type { Traced } from './traced.ts';

/** Maximum number of words of stack and memory that one trace may hold: about 400 MB. */
const TRACED_WORDS_MAX = 2_000_000;
const TRACED_BYTES_MAX: number = 64 * 1024 * 1024;

export interface TraceOptions extends StructLogOptions {
  readonly tracer: string | undefined;
  readonly tracerConfig: Readonly<Record<string, unknown>> | undefined;
  /** Time limit of the run, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** Total size of the traces of one request. */
  readonly room?: TraceRoom | undefined;
  /** Runs scripts of callers; loaded if `needsScripts` returns true. */
  readonly scripts?: ScriptEngine | undefined;
}

export interface TraceRoom {
  /** The size of struct logs, in words. */
  words: number;
  /** The size of all other output, as text. */
  bytes: number;
}

export interface Outcome {
  readonly gasUsed: number;
  readonly isFailed: boolean;
  /** The output of a success or a revert. */
  readonly output: Uint8Array;
}

export interface RunningTrace {
  readonly tracer: Tracer;
  /** Call it after the transaction has paid its gas and ended. */
  result(outcome: Outcome, tookMs: number): Json | RawJson;
}

/** Throws `ReferenceError: identifier '…' undefined` for an unknown name. */
export function startTrace(options: TraceOptions, traced: Traced): RunningTrace {
  const { tracer: name, tracerConfig } = options;
  if (name === undefined || name === '') return structLogs(options, traced);
  const spend = spendIn(options.room ?? { words: 0, bytes: 0 });
  if (name === 'callTracer')
    return tracerConfig ? calls(tracerConfig, traced, spend) : legacyCalls(traced, spend);
  if (name === 'prestateTracer') {
    return tracerConfig ? prestate(tracerConfig, traced, spend) : legacyPrestate(traced, spend);
  }
  if (name === 'flatCallTracer') {
    const tracer = new FlatCallTracer(tracerConfig ?? {}, spend);
    const limit = Number(traced.message.gasLimit);
    return { tracer, result: ({ gasUsed }) => tracer.result(limit, gasUsed) as unknown as Json };
  }
  if (name === 'vmTracer') {
    const tracer = new VmTracer(spend);
    return { tracer, result: () => tracer.result() as unknown as Json };
  }
  if (name === 'muxTracer') return several(options, traced);
  const make = Object.hasOwn(COUNTERS, name) ? COUNTERS[name] : undefined;
  if (!make) return scripted(options, traced, spend);
  const tracer = make(spend);
  return { tracer, result: () => tracer.result() };
}

/** Maximum number of tracers in one muxTracer. */
const MUX_TRACERS_MAX = 8;

/**
 * The tracers of a muxTracer: each member of the configuration is a tracer's name and its
 * configuration.
 */
function several({ tracerConfig = {}, room, ...rest }: TraceOptions, traced: Traced): RunningTrace {
  const wanted = Object.entries(tracerConfig);
  if (wanted.length > MUX_TRACERS_MAX || wanted.some(([name]) => name === 'muxTracer'))
    throw fail('TRACER_UNKNOWN', `muxTracer takes at most ${MUX_TRACERS_MAX} other tracers`);
  const shared = room ?? { words: 0, bytes: 0 };
  const running = wanted.map(([name, config]) => {
    const options = { ...rest, room: shared, tracer: name, tracerConfig: configOf(config) };
    return [name, startTrace(options, traced)] as const;
  });
  return {
    tracer: new MuxTracer(running.map(([, { tracer }]) => tracer)),
    result: (outcome, tookMs) =>
      Object.fromEntries(
        running.map(([name, each]) => [name, each.result(outcome, tookMs) as Json]),
      ),
  };
}

function configOf(config: unknown): Readonly<Record<string, unknown>> {
  return config !== null && typeof config === 'object' ? (config as Record<string, unknown>) : {};
}

const COUNTERS: Readonly<Record<string, (spend: Spend) => Tracer & { result(): Json }>> = {
  '4byteTracer': (spend) => new FourByteTracer(spend),
  opcountTracer: () => new OpcountTracer(),
  unigramTracer: () => new UnigramTracer(),
  bigramTracer: () => new BigramTracer(),
  trigramTracer: () => new TrigramTracer(),
  noopTracer: () => new NoopTracer(),
};

function spendIn(room: TraceRoom): Spend {
  return (bytes) => {
    room.bytes += bytes;
    if (room.bytes <= TRACED_BYTES_MAX) return;
    throw fail(
      'TRACE_TOO_LARGE',
      `the trace is longer than ${TRACED_BYTES_MAX / 2 ** 20} MB: ask with onlyTopCall, or for one transaction`,
    );
  };
}

/** A name that is not a plain identifier is a script. */
function isScript(name: string | undefined): boolean {
  return name !== undefined && !/^\w*$/.test(name);
}

/** Whether the tracer, or one in a muxTracer, is a script. */
export function needsScripts({ tracer, tracerConfig = {} }: TraceOptions): boolean {
  return tracer === 'muxTracer' ? Object.keys(tracerConfig).some(isScript) : isScript(tracer);
}

function scripted(options: TraceOptions, traced: Traced, spend: Spend): RunningTrace {
  const { tracer: code, tracerConfig = {}, scripts } = options;
  if (!scripts || !isScript(code))
    throw fail('TRACER_UNKNOWN', `ReferenceError: identifier '${code}' undefined`);
  const script = { code: code!, config: JSON.stringify(tracerConfig) };
  const tracer = new ScriptTracer(scripts, script, traced, spend);
  return { tracer, result: (_, tookMs) => tracer.result(goDuration(tookMs)) };
}

/** SLOAD, SSTORE: the slots that they access appear in every later entry. */
const STORAGE_OPCODES = [0x54, 0x55];

/** Struct logs with a limit on their size. */
class BoundedStructLogs extends StructLogTracer {
  private readonly wanted: StructLogOptions;
  private readonly room: TraceRoom;
  private readonly slots = new Set<string>();

  constructor(world: World, wanted: StructLogOptions, room: TraceRoom) {
    super(world, wanted);
    this.wanted = wanted;
    this.room = room;
  }

  override onStep(step: Step): void {
    const { disableMemory, disableStack, disableStorage, limit } = this.wanted;
    if (limit && this.entries >= limit) return;
    const { room, slots } = this;
    const { frame, op } = step;
    if (frame.sp > 0 && STORAGE_OPCODES.includes(op)) slots.add(`${frame.stack[frame.sp - 1]}`);
    room.words += 4 + (disableStack ? 0 : frame.sp);
    room.words += disableMemory ? 0 : frame.memory.size / 32;
    room.words += disableStorage ? 0 : 2 * slots.size;
    if (room.words > TRACED_WORDS_MAX) {
      throw fail(
        'TRACE_TOO_LARGE',
        `the trace holds more than ${TRACED_WORDS_MAX} words: ask with disableMemory, disableStack or a limit`,
      );
    }
    super.onStep(step);
  }
}

function structLogs(options: TraceOptions, { world }: Traced): RunningTrace {
  const tracer = new BoundedStructLogs(world, options, options.room ?? { words: 0, bytes: 0 });
  return {
    tracer,
    result: ({ gasUsed, isFailed, output }) =>
      new RawJson(tracer.result(gasUsed, isFailed, output)),
  };
}

function calls(
  config: Readonly<Record<string, unknown>>,
  { message }: Traced,
  spend: Spend,
): RunningTrace {
  const tracer = new CallTracer(config, spend);
  const limit = Number(message.gasLimit);
  return {
    tracer,
    result: ({ gasUsed }) => (tracer.result(limit, gasUsed) ?? {}) as unknown as Json,
  };
}

function legacyCalls({ world, rules }: Traced, spend: Spend): RunningTrace {
  const isPrecompile = (who: Uint8Array) => precompileAt(rules, who) !== undefined;
  const tracer = new LegacyCallTracer(world, isPrecompile, spend);
  return { tracer, result: (_, tookMs) => tracer.result(goDuration(tookMs)) as unknown as Json };
}

function prestate(
  config: Readonly<Record<string, unknown>>,
  { world, message, coinbase }: Traced,
  spend: Spend,
): RunningTrace {
  const tracer = new PrestateTracer(world, config, spend);
  tracer.begin(message.sender, message.to, coinbase);
  return { tracer, result: () => tracer.result() as unknown as Json };
}

/** Shows the accounts even when no code ran, where geth 1.10.3 fails. */
function legacyPrestate(traced: Traced, spend: Spend): RunningTrace {
  const { world, message, rules } = traced;
  const legacy = new LegacyPrestateTracer(world, spend);
  const plain = prestate({}, traced, spend);
  const intrinsic = Number(intrinsicGas(message, rules));
  return {
    tracer: legacy,
    result: (outcome, tookMs) =>
      (legacy.result(message.gasPrice, intrinsic) as unknown as Json | undefined) ??
      plain.result(outcome, tookMs),
  };
}

/** A duration in Go's format: `791.04µs`, `1.440554ms`. */
function goDuration(milliseconds: number): string {
  const nanoseconds = Math.max(1, Math.round(milliseconds * 1e6));
  if (nanoseconds < 1e3) return `${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${nanoseconds / 1e3}µs`;
  if (nanoseconds < 1e9) return `${nanoseconds / 1e6}ms`;
  return `${nanoseconds / 1e9}s`;
}
