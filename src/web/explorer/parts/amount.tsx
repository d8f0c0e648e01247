/** Amounts, numbers and times in the user's language. */
import { formatUnits } from 'viem';
import { useSpeech } from '../speech.ts';

const ETHER_DECIMALS = 18;
/** Of a rounded amount: six decimals. */
const LEAST_SHOWN = 10n ** 12n;

export function useNumbers() {
  const { language } = useSpeech();
  const whole = new Intl.NumberFormat(language);
  const exact = new Intl.NumberFormat(language, { maximumFractionDigits: 18 });
  return {
    whole: (value: number | bigint | string) => whole.format(BigInt(value)),
    units: (value: bigint, decimals: number) =>
      exact.format(formatUnits(value, decimals) as `${number}`),
    ether: (value: string | bigint) =>
      `${exact.format(formatUnits(BigInt(value), ETHER_DECIMALS) as `${number}`)}\u00a0ETH`,
    roundEther: (value: string | bigint) => {
      const wei = BigInt(value);
      const isTiny = wei > 0n && wei < LEAST_SHOWN;
      const shown = isTiny ? LEAST_SHOWN : wei - (wei % LEAST_SHOWN);
      const text = exact.format(formatUnits(shown, ETHER_DECIMALS) as `${number}`);
      return `${isTiny ? '<\u00a0' : ''}${text}\u00a0ETH`;
    },
    share: (part: number) =>
      new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(part),
    decimal: (value: number) =>
      new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value),
  };
}

/** GoQuorum's Raft chains have timestamps in nanoseconds, unless they are set to show seconds. */
export function msOf(timestamp: string): number {
  const value = BigInt(timestamp);
  return value > 10n ** 15n ? Number(value / 1_000_000n) : Number(value) * 1000;
}

/** How long ago; the tooltip shows the exact time. */
export function Age({ timestamp }: { timestamp: string }) {
  const { language } = useSpeech();
  const ms = msOf(timestamp);
  const seconds = Math.round((ms - Date.now()) / 1000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const [unit, size] =
    UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? (['second', 1] as const);
  return (
    <time dateTime={new Date(ms).toISOString()} title={new Date(ms).toLocaleString(language)}>
      {format.format(Math.min(0, Math.round(seconds / size)), unit)}
    </time>
  );
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export function Time({ timestamp }: { timestamp: string }) {
  const { language } = useSpeech();
  const ms = msOf(timestamp);
  const text = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={new Date(ms).toISOString()}>
      {text.format(ms)} (<Age timestamp={timestamp} />)
    </time>
  );
}
