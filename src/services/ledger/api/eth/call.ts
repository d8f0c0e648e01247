/**
 * Read-only calls: eth_call, gas estimates, access lists; for parties over the public and the
 * private state.
 */

import { equalBytes } from '../../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../../core/base/errors.ts';
import { toHex, toQuantity } from '../../../../core/base/hex.ts';
import { bytesToBigInt } from '../../../../core/base/quantity.ts';
import { blockAuthor } from '../../../../core/chain/extra-data.ts';
import {
  type CallRequest,
  type CallSite,
  call,
  createAccessList,
  estimateGas,
  outputOf,
} from '../../../../core/execution/call.ts';
import type { StateOverride } from '../../../../core/execution/overrides.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { TransactionArgs } from '../../node/sending/send-args.ts';
import type { BlockTag } from '../../view/block-tag.ts';
import { type ReadContext, readMethod } from '../context.ts';
import { renderAccessList } from '../render.ts';
import { DATA, OBJECT, QUANTITY } from '../results.ts';
import { blockTag, fieldQuantity, fixedBytes, hexBytes, optional } from '../shapes.ts';
import { callArgs } from '../transaction-args.ts';
import { blockOverrides, overriddenSite } from './block-overrides.ts';
import { stateAt } from './state.ts';

/** Maximum number of accounts that one call may override. */
const OVERRIDES_MAX = 1_000;
const OVERRIDDEN_SLOTS_MAX = 10_000;

export function requestOf(args: TransactionArgs): CallRequest {
  const { from, to, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, value, accessList } = args;
  if (args.data && args.input && !equalBytes(args.data, args.input)) {
    throw fail(
      'CALL_ARGS',
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    );
  }
  return {
    from,
    to,
    gas,
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    value,
    accessList,
    data: args.input ?? args.data,
  };
}

/** Context of a call at `tag`: the state after that block, and its header. */
export function siteOf(
  context: Pick<ReadContext, 'view'> & Partial<Pick<ReadContext, 'pending'>>,
  tag: BlockTag,
  overrides?: readonly StateOverride[],
): CallSite {
  const { view, pending } = context;
  const state = stateAt(context, tag);
  const isPending = tag.kind === 'pending' && pending !== undefined;
  const header = isPending ? pending.block().block.header : view.header(state.number)!;
  const isIbft = !isPending && view.engineAt(state.number) === 'ibft';
  return {
    rules: view.rulesAt(header),
    header,
    author: isIbft ? blockAuthor('ibft', header) : undefined,
    hashes: (number) => view.hashOf(number),
    publicState: state.public,
    privateState: state.private,
    overrides,
  };
}

/** State overrides of a call, as in later versions of geth. */
export const overridesParam: Param<readonly StateOverride[] | undefined> = optional(
  {
    name: 'overrides',
    schema: { type: 'object' },
    isOptional: true,
    parse(value): readonly StateOverride[] {
      if (value === null || typeof value !== 'object' || Array.isArray(value)) {
        throw new ParamError(
          'json: cannot unmarshal value into Go value of type ethapi.StateOverride',
        );
      }
      const entries = Object.entries(value);
      if (entries.length > OVERRIDES_MAX)
        throw new ParamError(`too many overrides: at most ${OVERRIDES_MAX}`);
      return entries.map(([who, fields]) => overrideOf(who, fields as Record<string, unknown>));
    },
  },
  undefined,
);

function overrideOf(who: string, value: unknown): StateOverride {
  const address = fixedBytes(who, 20, 'common.Address');
  if (value !== null && typeof value !== 'object')
    throw new ParamError(
      'json: cannot unmarshal value into Go value of type ethapi.OverrideAccount',
    );
  const given = (value ?? {}) as Record<string, unknown>;
  const field = <T>(name: string, parse: (each: unknown) => T): T | undefined => {
    const found = given[name] ?? undefined;
    return found === undefined ? undefined : parse(found);
  };
  const state = field('state', slots);
  const stateDiff = field('stateDiff', slots);
  if (state && stateDiff) throw new ParamError(`account ${who} has both 'state' and 'stateDiff'`);
  const amount = (each: unknown) => fieldQuantity(each, 'Go value of type hexutil.Big');
  return {
    address,
    balance: field('balance', amount),
    nonce: field('nonce', amount),
    code: field('code', (each) => hexBytes(each, 'Go value of type hexutil.Bytes')),
    state,
    stateDiff,
    movePrecompileTo: field('movePrecompileToAddress', (each) =>
      fixedBytes(each, 20, 'common.Address'),
    ),
  };
}

function slots(value: unknown): ReadonlyMap<bigint, bigint> {
  const entries = Object.entries(value as object);
  if (typeof value !== 'object' || entries.length > OVERRIDDEN_SLOTS_MAX)
    throw new ParamError(`an override must be an object of at most ${OVERRIDDEN_SLOTS_MAX} slots`);
  const word = (text: unknown) => bytesToBigInt(fixedBytes(text, 32, 'common.Hash'));
  return new Map(entries.map(([slot, content]) => [word(slot), word(content)]));
}

export const callMethods = [
  readMethod('eth_call', {
    params: [callArgs, blockTag, overridesParam, blockOverrides],
    result: DATA,
    about: 'Runs a message on a state without changing it; state and block may be overridden.',
    isHeavy: true,
    tryShortly: (context, [args, tag, overrides, block], shouldStop) => {
      if (tag.kind === 'pending' || overrides || block) return undefined;
      const limits = { ...context.callLimits(), shouldStop };
      try {
        return toHex(outputOf(call(requestOf(args), siteOf(context, tag), limits)));
      } catch (error) {
        // The reader enforces the time limit, for the private state too.
        if (hasCode(error, 'CALL_TIMEOUT') || hasCode(error, 'PRIVATE_STATE_BEHIND'))
          return undefined;
        throw error;
      }
    },
    call: (context, [args, tag, overrides, block]) => {
      const site = overriddenSite(siteOf(context, tag, overrides), block);
      return toHex(outputOf(call(requestOf(args), site, context.callLimits())));
    },
  }),
  readMethod('eth_estimateGas', {
    params: [callArgs, blockTag],
    result: QUANTITY,
    about: 'Estimates the gas that a transaction needs.',
    isHeavy: true,
    call: (context, [args, tag]) =>
      toQuantity(estimateGas(requestOf(args), siteOf(context, tag), context.callLimits())),
  }),
  readMethod('eth_createAccessList', {
    params: [callArgs, blockTag],
    result: OBJECT,
    about: 'Lists the addresses and slots that a transaction touches.',
    isHeavy: true,
    call: (context, [args, tag]) => {
      const found = createAccessList(requestOf(args), siteOf(context, tag), context.callLimits());
      return {
        accessList: renderAccessList(found),
        gasUsed: toQuantity(found.gasUsed),
        ...(found.error === undefined ? {} : { error: found.error }),
      };
    },
  }),
];
