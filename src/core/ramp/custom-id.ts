/** Order ids made by an aggregator: 64 letters and digits, case-sensitive. */

const FORM = /^[A-Za-z0-9]{64}$/;
export function isCustomId(text: string): boolean {
  return FORM.test(text);
}
