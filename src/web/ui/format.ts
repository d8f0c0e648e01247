/**
 * Amounts and times as people of a language write them. Amounts are decimal texts, and stay exact.
 */

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
 * Digits of a text beyond those of a number are kept: the format takes texts, which its type does
 * not say yet.
 */
function exact(format: Intl.NumberFormat, amount: string): string {
  return format.format(amount as `${number}`);
}
