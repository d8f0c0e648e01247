/** Bounds of the transaction pool. */
import type { Address } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex } from '../../../core/base/hex.ts';
import type { PoolLimits } from '../../../core/txpool/pool.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

export function poolLimits(options: ParsedOptions): Partial<PoolLimits> {
  return {
    accountSlots: options.number('txpool.accountslots')!,
    globalSlots: options.number('txpool.globalslots')!,
    accountQueue: options.number('txpool.accountqueue')!,
    globalQueue: options.number('txpool.globalqueue')!,
    priceLimit: priceLimit(options),
    priceBump: BigInt(options.number('txpool.pricebump')!),
    gasMax: BigInt(options.number('miner.txgaslimit')!),
    lifetimeMs: options.number('txpool.lifetime')!,
    hasLocals: !options.boolean('txpool.nolocals'),
    locals: options.list('txpool.locals').map(localAddress),
  };
}

/**
 * Lowest price of peers' transactions. COMPAT: a node that mines takes `--miner.gasprice` for it
 * (GoQuorum eth/backend.go, StartMining), but here only if it is given: its default of 1 gwei would
 * refuse what other members accept.
 */
function priceLimit(options: ParsedOptions): bigint {
  const isGiven = (options.source('miner.gasprice') ?? 'default') !== 'default';
  const isMiner = options.boolean('mine') && isGiven;
  return BigInt(options.number(isMiner ? 'miner.gasprice' : 'txpool.pricelimit')!);
}

function localAddress(text: string): Address {
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(text))
    return fromHex(`0x${text.replace(/^0x/, '').toLowerCase()}`);
  throw fail('OPTION_VALUE_INVALID', `--txpool.locals: ${text} is not an address`);
}
