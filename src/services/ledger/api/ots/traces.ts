/** `ots_*` about what a transaction did: its calls, its transfers, and why it failed. */
import type { CallNode } from '../../../../core/evm/tracers/call.ts';
import type { Json } from '../../../../io/rpc/method.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { traceTransaction } from '../debug/trace.ts';
import { arrayOf, DATA, OBJECT } from '../results.ts';
import { hash } from '../shapes.ts';

/** Operation numbers of Otterscan. */
const OPERATION = { transfer: 0, selfdestruct: 1, create: 2, create2: 3 } as const;
const EMPTY = '0x';

/** Undefined: nothing was executed here, such as for a private transaction of other parties. */
async function callsOf(context: ReadContext, wanted: Uint8Array): Promise<CallNode | undefined> {
  const options = { tracer: 'callTracer', tracerConfig: {}, timeoutMs: undefined };
  const root = (await traceTransaction(context, wanted, options)) as unknown as CallNode | null;
  return root?.type === undefined ? undefined : root;
}

/** Appends to `list`, which costs the same at any depth; a generator in generators would not. */
function flat(call: CallNode | undefined, list: Json[] = [], depth = 0): Json[] {
  if (!call) return list;
  const { type, from, to = null, value, input, output = EMPTY } = call;
  list.push({ type, depth, from, to, value: value ?? null, input, output });
  for (const inner of call.calls ?? []) flat(inner, list, depth + 1);
  return list;
}

/** Operations of the calls that took effect. */
function operations(call: CallNode | undefined, list: Json[] = [], isOutermost = true): Json[] {
  if (!call || call.error !== undefined) return list;
  const { type, from, to = null, value = '0x0' } = call;
  const kind = isOutermost ? undefined : kindOf(type, value);
  if (kind !== undefined) list.push({ type: kind, from, to, value });
  for (const inner of call.calls ?? []) operations(inner, list, false);
  return list;
}

function kindOf(type: string, value: string): number | undefined {
  if (type === 'CREATE') return OPERATION.create;
  if (type === 'CREATE2') return OPERATION.create2;
  if (type === 'SELFDESTRUCT') return OPERATION.selfdestruct;
  return type === 'CALL' && value !== '0x0' ? OPERATION.transfer : undefined;
}

export const otsTraceMethods = [
  readMethod('ots_traceTransaction', {
    params: [hash],
    result: arrayOf(OBJECT),
    about: 'Calls of a mined transaction with their depth, in the order in which they began.',
    isHeavy: true,
    call: async (context, [wanted]) => flat(await callsOf(context, wanted)),
  }),
  readMethod('ots_getInternalOperations', {
    params: [hash],
    result: arrayOf(OBJECT),
    about:
      'Ether that contracts sent (type 0), contracts that they destroyed (1) and created (2: CREATE, 3: CREATE2) in a transaction.',
    isHeavy: true,
    call: async (context, [wanted]) => operations(await callsOf(context, wanted)),
  }),
  readMethod('ots_getTransactionError', {
    params: [hash],
    result: DATA,
    about: 'Data with which a transaction reverted; `0x` where it did not.',
    isHeavy: true,
    async call(context, [wanted]) {
      const call = await callsOf(context, wanted);
      return call?.error === undefined ? EMPTY : (call.output ?? EMPTY);
    },
  }),
];
