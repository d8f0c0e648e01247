/** The consensus round in which a block was made. */
import { fromRlp } from 'viem';

const QBFT_PARTS = 5;
const ROUND_AT = 3;

/** From QBFT's extra data: vanity, validators, vote, round, seals. undefined: another consensus. */
export function roundOf(extraData: string): number | undefined {
  try {
    const parts = fromRlp(extraData as `0x${string}`);
    const round = Array.isArray(parts) && parts.length === QBFT_PARTS ? parts[ROUND_AT] : undefined;
    return typeof round === 'string' ? Number(round === '0x' ? 0 : round) : undefined;
  } catch {
    return undefined;
  }
}
