/**
 * Block overrides of a call, as in later versions of geth (go-ethereum
 * internal/ethapi/override/override.go).
 */
import type { Withdrawal } from '../../../../core/chain/block.ts';
import type { CallSite } from '../../../../core/execution/call.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import { fieldQuantity, fixedBytes, optional } from '../shapes.ts';

/** Fields of a header that a call sees instead of the block's own. */
export interface BlockOverrides {
  readonly number?: number;
  readonly timestamp?: bigint;
  readonly difficulty?: bigint;
  readonly gasLimit?: bigint;
  readonly coinbase?: Uint8Array;
  readonly mixHash?: Uint8Array;
  readonly baseFeePerGas?: bigint;
  readonly blobBaseFee?: bigint;
}

const amount = (value: unknown) => fieldQuantity(value, 'Go value of type hexutil.Big');

/** Parsers by the names that clients use: geth's present and earlier ones. */
const FIELDS: Readonly<Record<string, (value: unknown) => BlockOverrides>> = {
  number: (value) => ({ number: smallNumber(amount(value)) }),
  time: (value) => ({ timestamp: BigInt(smallNumber(amount(value))) }),
  difficulty: (value) => ({ difficulty: amount(value) }),
  gasLimit: (value) => ({ gasLimit: fieldQuantity(value, 'Go value of type hexutil.Uint64') }),
  feeRecipient: (value) => ({ coinbase: fixedBytes(value, 20, 'common.Address') }),
  coinbase: (value) => ({ coinbase: fixedBytes(value, 20, 'common.Address') }),
  prevRandao: (value) => ({ mixHash: fixedBytes(value, 32, 'common.Hash') }),
  random: (value) => ({ mixHash: fixedBytes(value, 32, 'common.Hash') }),
  baseFeePerGas: (value) => ({ baseFeePerGas: amount(value) }),
  baseFee: (value) => ({ baseFeePerGas: amount(value) }),
  blobBaseFee: (value) => ({ blobBaseFee: amount(value) }),
};

/** Adds the fields that only a simulated block may have. */
const SIMULATED_FIELDS: Readonly<Record<string, (value: unknown) => SimulatedOverrides>> = {
  ...FIELDS,
  beaconRoot: (value) => ({ beaconRoot: fixedBytes(value, 32, 'common.Hash') }),
  withdrawals: (value) => ({ withdrawals: withdrawals(value) }),
};

export interface SimulatedOverrides extends BlockOverrides {
  readonly beaconRoot?: Uint8Array;
  readonly withdrawals?: readonly Withdrawal[];
}

export const blockOverrides: Param<BlockOverrides | undefined> = optional(
  {
    name: 'blockOverrides',
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.keys(FIELDS).map((name) => [name, {}])),
    },
    isOptional: true,
    parse: (value): BlockOverrides => overridesOf(value, FIELDS),
  },
  undefined,
);

/** The overrides of a block of eth_simulateV1. Throws ParamError. */
export function simulatedOverrides(value: unknown): SimulatedOverrides {
  return overridesOf(value ?? {}, SIMULATED_FIELDS);
}

function overridesOf<T extends object>(
  value: unknown,
  fields: Readonly<Record<string, (value: unknown) => T>>,
): T {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ParamError(
      'json: cannot unmarshal value into Go value of type override.BlockOverrides',
    );
  return Object.entries(value).reduce((found, [name, given]) => {
    const parse = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!parse)
      throw new ParamError(
        `unknown block override "${name}": there are ${Object.keys(fields).join(', ')}`,
      );
    return given === null ? found : Object.assign(found, parse(given));
  }, {} as T);
}

function withdrawals(value: unknown): Withdrawal[] {
  if (!Array.isArray(value)) throw new ParamError('withdrawals must be a list');
  const number = (each: unknown) => fieldQuantity(each, 'Go value of type hexutil.Uint64');
  return value.map((each) => ({
    index: number(each?.index),
    validatorIndex: number(each?.validatorIndex),
    address: fixedBytes(each?.address, 20, 'common.Address'),
    amount: number(each?.amount),
  }));
}

function smallNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ParamError('number above 2^53 - 1');
  return Number(value);
}

/** The context of a call, with these values instead of those of its block. */
export function overriddenSite(site: CallSite, overrides: BlockOverrides | undefined): CallSite {
  if (!overrides) return site;
  const { blobBaseFee, ...fields } = overrides;
  return {
    ...site,
    header: { ...site.header, ...fields },
    ...(fields.coinbase ? { author: undefined } : {}),
    ...(blobBaseFee === undefined ? {} : { blobBaseFee }),
  };
}
