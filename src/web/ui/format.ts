/** Amounts and times in the format of a language. Amounts are decimal strings, and stay exact. */

/** `100.00`, `USD` -> `$100.00`. */
export function money(amount: string, currency: string, language: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return exact(new Intl.NumberFormat(language, { style: 'currency', currency, ...digits }), amount);
}

/** `0.04`, `eth` -> `0.04 ETH`. */
export function coins(amount: string, id: string, language: string): string {
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  return `${exact(format, amount)}\u00a0${id.toUpperCase()}`;
}

/** Minutes and seconds: `1:05`. */
export function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function dateTime(ms: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(ms);
}

/**
 * Keeps digits beyond the precision of a number: Intl formats strings exactly, which its TypeScript
 * type does not allow yet.
 */
function exact(format: Intl.NumberFormat, amount: string): string {
  return format.format(amount as `${number}`);
}
