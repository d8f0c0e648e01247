/** Ids of orders that an aggregator makes: 64 letters and digits, of which the case counts. */

const FORM = /^[A-Za-z0-9]{64}$/;
export function isCustomId(text: string): boolean {
  return FORM.test(text);
}
