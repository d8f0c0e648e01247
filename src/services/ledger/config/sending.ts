/** How transactions that clients send through the node are priced and signed. */
import { join } from 'node:path';
import type { Address } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex } from '../../../core/base/hex.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import type { GasPriceTerms } from '../node/sending/gas-price.ts';
import { storeFolder } from '../store/data.ts';

const WEI_PER_ETHER = 1e18;
const MARKER_KEY_FILE = 'eea-marker-key';

export interface SendingConfig {
  readonly gasPrice: GasPriceTerms;
  readonly feeCapWei: bigint;
  /** Whether transactions without a chain id are accepted. */
  readonly allowsUnprotected: boolean;
  /** Whether private transactions are sent inside marker transactions. */
  readonly isMarking: boolean;
  /**
   * Account that signs the markers of EEA private transactions: one of the node's, or a key file
   * created on first use.
   */
  readonly eeaMarker: { readonly account: Address } | { readonly keyFile: string };
}

/** Throws OPTION_VALUE_INVALID. */
export function sendingConfig(options: ParsedOptions, dataFolder: string): SendingConfig {
  return {
    gasPrice: gasPriceTerms(options),
    feeCapWei: BigInt(Math.round((options.number('rpc.txfeecap') ?? 1) * WEI_PER_ETHER)),
    allowsUnprotected: options.boolean('rpc.allow-unprotected-txs'),
    isMarking: options.boolean('privacymarker.enable'),
    eeaMarker: eeaMarker(options, dataFolder),
  };
}

function eeaMarker(options: ParsedOptions, dataFolder: string): SendingConfig['eeaMarker'] {
  const named = options.string('eea.marker-account');
  if (named === undefined) return { keyFile: join(storeFolder(dataFolder), MARKER_KEY_FILE) };
  if (!/^0x[0-9a-fA-F]{40}$/.test(named)) {
    throw fail('OPTION_VALUE_INVALID', `--eea.marker-account ${named}: it is not an address`);
  }
  return { account: fromHex(named.toLowerCase()) };
}

function gasPriceTerms(options: ParsedOptions): GasPriceTerms {
  return {
    defaultPrice: BigInt(options.number('miner.gasprice')!),
    blocks: options.number('gpo.blocks')!,
    percentile: Math.min(100, options.number('gpo.percentile')!),
    maxPrice: BigInt(options.number('gpo.maxprice')!),
  };
}
