/** A session and its order, as the page shows them. */
import type { RampConfig } from '../../../core/ramp/config.ts';
import { formatCrypto, formatFiat } from '../../../core/ramp/money.ts';
import { isTerminal, statusOf } from '../../../core/ramp/order.ts';
import type { ShownOrder, ShownTerms, WidgetState } from '../../../core/ramp/page-data.ts';
import type { Checkout, OrderProgress } from '../orders/checkout.ts';
import type { Order } from '../orders/order-row.ts';
import type { OrderOffer, Session } from '../orders/sessions.ts';

const SANDBOX = 'sandbox';

export interface StateParts {
  readonly checkout: Checkout;
  readonly config: () => RampConfig;
  readonly nowMs: () => number;
}

export async function widgetState(
  session: Session,
  order: Order | undefined,
  { checkout, config, nowMs }: StateParts,
): Promise<WidgetState> {
  const { side, offer, quotedAtMs, expiresAtMs } = session;
  return {
    side,
    isSandbox: offer.adapter === SANDBOX,
    partner: checkout.partnerOf(session)?.name ?? session.partner,
    partnerId: session.partner,
    payment: { id: offer.payment, name: offer.providerPayment },
    terms: shownTerms(offer),
    ...(offer.frequency === undefined ? {} : { frequency: offer.frequency }),
    leaveUrl: checkout.leaveUrl(session),
    ...(order
      ? {
          questions: [],
          order: {
            ...shownOrder(order, checkout, config()),
            ...shownProgress(await checkout.progress(session, order)),
          },
        }
      : {
          questions: checkout.fields(session),
          quote: {
            quotedAtMs,
            goodForMs: Math.max(0, expiresAtMs - nowMs()),
            lifetimeMs: expiresAtMs - quotedAtMs,
          },
        }),
  };
}

function shownTerms({ terms, exchangeRate }: OrderOffer): ShownTerms {
  const { side, fiat, crypto, amountIn, amountOut, fees, wallet } = terms;
  const money = (units: bigint) => formatFiat(units, fiat.decimals);
  const coins = (units: bigint) => formatCrypto(units, crypto.decimals);
  const [give, get] = side === 'buy' ? [money, coins] : [coins, money];
  return {
    ...{ fiat: fiat.id, crypto: crypto.id, network: crypto.network },
    ...{ amountIn: give(amountIn), amountOut: get(amountOut) },
    processingFee: money(fees.processing),
    networkFee: money(fees.network),
    partnerFee: money(fees.partner),
    ...{ exchangeRate, wallet },
  };
}

function shownOrder(order: Order, checkout: Checkout, config: RampConfig): ShownOrder {
  const { id, state, terms, depositAddress } = order;
  const { code, reason, hash } = state;
  const dueMs = 'payByMs' in state ? state.payByMs : state.sendByMs;
  const template = config.crypto.find((each) => each.id === terms.crypto.id)?.transactionUrl;
  return {
    ...{ id, status: statusOf(code), code, reason },
    ...(hash === undefined ? {} : { hash }),
    ...(hash === undefined || template === undefined
      ? {}
      : { transactionUrl: template.replace('{hash}', hash) }),
    ...(depositAddress === undefined ? {} : { depositAddress }),
    ...(isTerminal(code) ? {} : { dueMs }),
    backUrl: checkout.backUrl(order),
  };
}

function shownProgress({ recurs, confirmations }: OrderProgress) {
  return { ...(recurs ? { recurs } : {}), ...(confirmations ? { confirmations } : {}) };
}
