/** The exchanged amounts, with rate and fees. */
import type { WidgetState } from '../../../core/ramp/page-data.ts';
import { Copyable, type Detail, Details } from '../../ui/content.tsx';
import { coins, money } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { useSpeech } from './speech.ts';

/** Both amounts in the format of the user's language. */
export function useAmounts({ side, terms }: WidgetState): { give: string; get: string } {
  const { language } = useSpeech();
  const [fiat, crypto] =
    side === 'buy' ? [terms.amountIn, terms.amountOut] : [terms.amountOut, terms.amountIn];
  const shownFiat = money(fiat, terms.fiat, language);
  const shownCrypto = coins(crypto, terms.crypto, language);
  return side === 'buy'
    ? { give: shownFiat, get: shownCrypto }
    : { give: shownCrypto, get: shownFiat };
}

/** The two amounts in large type. */
export function Exchange({ state }: { state: WidgetState }) {
  const { texts } = useSpeech();
  const { give, get } = useAmounts(state);
  return (
    <dl class="exchange">
      <div>
        <dt>{state.side === 'buy' ? texts.youPay : texts.youSell}</dt>
        <dd>{breakable(give)}</dd>
      </div>
      <div class="exchange-arrow">
        <Icon name="arrow" size={18} />
      </div>
      <div>
        <dt>{texts.youGet}</dt>
        <dd>{breakable(get)}</dd>
      </div>
    </dl>
  );
}

/** A long amount may break before its currency, but not inside. */
function breakable(amount: string): string {
  return amount.replaceAll('\u00a0', ' ');
}

/** Rate, fees and payment method, line by line. */
export function TermSummary({ state }: { state: WidgetState }) {
  const { language, texts } = useSpeech();
  const { side, terms, payment, partner } = state;
  const fiat = (amount: string) => money(amount, terms.fiat, language);
  const fee = (name: string, amount: string): Detail[] =>
    /[1-9]/.test(amount) ? [{ name, value: fiat(amount) }] : [];
  const one = coins('1', terms.crypto, language);
  const details: Detail[] = [
    {
      name: texts.rate,
      value: `${one} = ${money(rounded(terms.exchangeRate), terms.fiat, language)}`,
    },
    ...fee(texts.processingFee, terms.processingFee),
    ...fee(texts.networkFee, terms.networkFee),
    ...fee(texts.partnerFee(partner), terms.partnerFee),
    { name: side === 'buy' ? texts.method : texts.payoutMethod, value: payment.name },
    { name: texts.network, value: texts.chain(terms.network) },
  ];
  return (
    <div class="stack-close">
      <Details details={details} />
      <p class="small soft">{texts.feesIncluded}</p>
    </div>
  );
}

export function Wallet({ state }: { state: WidgetState }) {
  const { texts } = useSpeech();
  const label = state.side === 'buy' ? texts.toWallet : texts.fromWallet;
  return <Copyable label={label} value={state.terms.wallet} texts={texts} />;
}

/** For display: rounds a rate with many decimals. */
function rounded(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const digits = whole.length > 3 ? 2 : 6;
  const kept = fraction.slice(0, digits).replace(/0+$/, '').padEnd(2, '0');
  return `${whole}.${kept}`;
}
