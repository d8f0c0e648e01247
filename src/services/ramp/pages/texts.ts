/** Parts of the widget pages. */
import { formatCrypto, formatFiat } from '../../../core/ramp/money.ts';
import type { Terms } from '../../../core/ramp/order.ts';
import type { FormField } from '../payment/adapter.ts';
import { type Html, html } from './html.ts';

/** What is exchanged for what, line by line. */
export function summary({ side, fiat, crypto, amountIn, amountOut, fees, wallet }: Terms): Html {
  const money = (units: bigint) => `${formatFiat(units, fiat.decimals)} ${fiat.id}`;
  const coins = (units: bigint) => `${formatCrypto(units, crypto.decimals)} ${crypto.id}`;
  const [pay, get] =
    side === 'buy' ? [money(amountIn), coins(amountOut)] : [coins(amountIn), money(amountOut)];
  return html`<dl>
<dt>You ${side === 'buy' ? 'pay' : 'sell'}</dt><dd class="total">${pay}</dd>
<dt>Processing fee</dt><dd>${money(fees.processing + fees.partner)}</dd>
<dt>Network fee</dt><dd>${money(fees.network)}</dd>
<dt>You get</dt><dd class="total">${get}</dd>
<dt>${side === 'buy' ? 'To wallet' : 'From wallet'}</dt><dd>${wallet}</dd>
</dl>`;
}

export function fieldOf(
  { name, label, autocomplete, hint, choices }: FormField,
  wrong: string | undefined,
): Html {
  const described = [hint && `${name}-hint`, wrong && `${name}-wrong`].filter(Boolean).join(' ');
  const hintText =
    hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`;
  const fault =
    wrong === undefined
      ? undefined
      : html`<p class="wrong" id="${name}-wrong" role="alert">${wrong}</p>`;
  const control = choices
    ? html`<select id="${name}" name="${name}" aria-describedby="${described}">
${choices.map(({ value, label: text }) => html`<option value="${value}">${text}</option>`)}
</select>`
    : html`<input id="${name}" name="${name}" autocomplete="${autocomplete}" required aria-describedby="${described}">`;
  return html`<label for="${name}">${label}</label>
${hintText}${fault}
${control}`;
}
