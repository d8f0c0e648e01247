/** From parsed flags to what the parts of the node take. */

import { isAbsolute, join } from 'node:path';
import type { Address } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex } from '../../../core/base/hex.ts';
import type { ConsensusDefaults } from '../../../core/chain/consensus-rules.ts';
import type { PoolLimits } from '../../../core/txpool/pool.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import { MANAGER_FLAGS, type ManagerFlag } from '../../../io/ptm-client/config.ts';
import type { GasPriceTerms } from '../node/sending/gas-price.ts';

const DAY_SECONDS = 86_400;
/** Spellings of one namespace: enabling one enables the other. */
const TWIN_NAMESPACES: Readonly<Record<string, string>> = {
  ledgerExtension: 'quorumExtension',
  quorumExtension: 'ledgerExtension',
  ledgerPermission: 'quorumPermission',
  quorumPermission: 'ledgerPermission',
};

export function poolLimits(options: ParsedOptions): Partial<PoolLimits> {
  return {
    accountSlots: options.number('txpool.accountslots')!,
    globalSlots: options.number('txpool.globalslots')!,
    accountQueue: options.number('txpool.accountqueue')!,
    globalQueue: options.number('txpool.globalqueue')!,
    priceLimit: BigInt(options.number('txpool.pricelimit')!),
    priceBump: BigInt(options.number('txpool.pricebump')!),
    gasMax: BigInt(options.number('miner.txgaslimit')!),
    lifetimeMs: options.number('txpool.lifetime')!,
    hasLocals: !options.boolean('txpool.nolocals'),
    locals: options.list('txpool.locals').map(localAddress),
  };
}

function localAddress(text: string): Address {
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(text))
    return fromHex(`0x${text.replace(/^0x/, '').toLowerCase()}`);
  throw fail('OPTION_VALUE_INVALID', `--txpool.locals: ${text} is not an address`);
}

export function gasPriceTerms(options: ParsedOptions): GasPriceTerms {
  return {
    defaultPrice: BigInt(options.number('miner.gasprice')!),
    blocks: options.number('gpo.blocks')!,
    percentile: Math.min(100, options.number('gpo.percentile')!),
    maxPrice: BigInt(options.number('gpo.maxprice')!),
  };
}

export function consensusDefaults(options: ParsedOptions): ConsensusDefaults {
  const blockPeriodSeconds = options.number('istanbul.blockperiod');
  const requestTimeoutMs = options.number('istanbul.requesttimeout');
  return {
    ...(blockPeriodSeconds === undefined ? {} : { blockPeriodSeconds }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    allowedFutureBlockSeconds: options.number('allowedfutureblocktime') ?? 0,
  };
}

/** As in GoQuorum, 0 is not a limit: here, a day. */
export function callSecondsOf(options: ParsedOptions): number {
  return options.number('vm.calltimeout') || DAY_SECONDS;
}

/** Namespaces that a transport serves; `rpc` always. */
export function namespacesOf(list: readonly string[]): Set<string> {
  const names = new Set(['rpc']);
  for (const name of list) {
    names.add(name.trim());
    const twin = TWIN_NAMESPACES[name.trim()];
    if (twin) names.add(twin);
  }
  return names;
}

export function managerFlags(
  options: ParsedOptions,
): Partial<Record<ManagerFlag, string | number | boolean>> {
  const flags: Partial<Record<ManagerFlag, string | number | boolean>> = {};
  for (const flag of Object.keys(MANAGER_FLAGS) as ManagerFlag[]) {
    if (options.source(flag) === undefined) continue;
    if (flag.endsWith('skipverify')) flags[flag] = options.boolean(flag);
    else flags[flag] = isNumberFlag(flag) ? options.number(flag)! : options.string(flag)!;
  }
  return flags;
}

function isNumberFlag(flag: string): boolean {
  return flag.endsWith('timeout') || flag.endsWith('buffersize');
}

export function vanityOf(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 32)
    throw fail(
      'OPTION_VALUE_INVALID',
      `--miner.extradata is ${bytes.length} bytes: at most 32 fit into a block`,
    );
  return bytes;
}

export function ipcPath(options: ParsedOptions): string | undefined {
  if (options.boolean('ipcdisable')) return undefined;
  const path = options.string('ipcpath')!;
  return isAbsolute(path) || path.includes('/') ? path : join(options.string('datadir')!, path);
}
