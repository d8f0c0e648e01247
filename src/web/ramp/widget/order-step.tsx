/**
 * An order after it was placed: what the customer must do, its progress, its outcome, and the way
 * back.
 */
import { useState } from 'preact/hooks';
import type {
  NextStep,
  ShownOrder,
  WidgetAnswer,
  WidgetState,
} from '../../../core/ramp/page-data.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Copyable } from '../../ui/content.tsx';
import { Notice, Seal, type Tone } from '../../ui/status.tsx';
import { useRepeat } from '../../ui/timers.ts';
import type { WidgetApi } from './api.ts';
import { AskFirst } from './ask-first.tsx';
import { Deposit } from './deposit.tsx';
import { Outside } from './frame.tsx';
import { Heading } from './heading.tsx';
import { PayPage } from './pay-page.tsx';
import { Progress } from './progress.tsx';
import { Recurrence } from './recurrence.tsx';
import { useSpeech } from './speech.ts';
import { useAmounts } from './terms.tsx';
import { Transfer } from './transfer.tsx';
import { WayBack } from './way-back.tsx';

const POLL_MS = 1_500;
const ENDED: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED'];
/** The customer has not paid or sent anything yet. */
const UNPAID: readonly string[] = [
  'PROVIDER-CREATED-ORDER',
  'PROVIDER-PENDING-ORDER',
  'PROVIDER-PENDING-PAYMENT',
];

/** In all other states, money may be on its way. */
const CANCELLABLE: readonly string[] = ['PROVIDER-CREATED-ORDER', 'PROVIDER-PENDING-ORDER'];

export interface OrderProps {
  readonly state: WidgetState;
  readonly order: ShownOrder;
  readonly next: NextStep | undefined;
  /** The URL to try the same again. */
  readonly again: string | undefined;
  readonly api: WidgetApi;
  readonly take: (answer: WidgetAnswer) => void;
}

export function OrderStep({ state, order, next, again, api, take }: OrderProps) {
  const { texts } = useSpeech();
  const isEnded = ENDED.includes(order.status);
  useRepeat(isEnded ? undefined : POLL_MS, () => api.state().then(take, () => {}));
  const isUnpaid = UNPAID.includes(order.code);
  const [isStaying, setStaying] = useState(false);
  const stay = () => setStaying(true);
  return (
    <div class="stack">
      {isUnpaid && next?.kind === 'transfer' ? (
        <Transfer {...{ state, order }} lines={next.lines} />
      ) : isUnpaid && next?.kind === 'page' ? (
        <PayPage {...{ state }} url={next.url} />
      ) : order.code === 'PROVIDER-CREATED-ORDER' && order.depositAddress !== undefined ? (
        <Deposit {...{ state }} address={order.depositAddress} dueMs={order.dueMs} />
      ) : (
        <Standing {...{ state, order, next }} />
      )}
      <Progress {...{ state, order }} />
      <Papers order={order} />
      {isEnded && order.status !== 'COMPLETED' && again !== undefined && (
        <ButtonLink href={again} wide>
          {texts.again}
        </ButtonLink>
      )}
      <WayBack {...{ state, order }} isBound={isUnpaid || isStaying} onStay={stay} />
      <Recurrence {...{ state, api, take }} onOpen={stay} />
      {CANCELLABLE.includes(order.code) && (
        <AskFirst texts={texts.cancelling} act={() => api.cancel()} take={take} onOpen={stay} />
      )}
    </div>
  );
}

/** The state in large type; read out when it changes. */
function Standing({ state, order, next }: Pick<OrderProps, 'state' | 'order' | 'next'>) {
  const { texts } = useSpeech();
  const { get } = useAmounts(state);
  const isDeclined = next?.kind === 'declined' && order.code === 'PROVIDER-FAILED-PAYMENT';
  const known = isDeclined ? texts.declined : texts.outcomes[order.code];
  const isDone = order.status === 'COMPLETED';
  const body = isDone
    ? state.side === 'buy'
      ? texts.bought(get)
      : texts.sold(get)
    : (known?.body ?? order.reason);
  return (
    <div class="stack outcome">
      <Seal tone={toneOf(order)} icon={isDone ? 'check' : iconOf(order)} />
      <Heading>{known?.title ?? order.reason}</Heading>
      <p role="status">{body}</p>
      {order.confirmations && (
        <p class="small soft numeric">
          {texts.confirmed(order.confirmations.count, order.confirmations.needed)}
        </p>
      )}
      {state.isSandbox && <Notice tone="warn">{texts.sandbox}</Notice>}
    </div>
  );
}

function toneOf({ status, code }: ShownOrder): Tone {
  if (status === 'COMPLETED') return 'good';
  if (status === 'FAILED' || status === 'CANCELLED') return 'bad';
  return /REVIEW|REFUND/.test(code) ? 'warn' : 'info';
}

function iconOf({ status }: ShownOrder) {
  return status === 'FAILED' || status === 'CANCELLED' ? 'cross' : 'clock';
}

/** Data that a customer may need later: the order's id and its transaction. */
function Papers({ order }: { order: ShownOrder }) {
  const { texts } = useSpeech();
  return (
    <div class="stack-close">
      <Copyable label={texts.orderId} value={order.id} texts={texts} />
      {order.hash !== undefined && (
        <Copyable label={texts.transaction} value={order.hash} texts={texts} />
      )}
      {order.transactionUrl !== undefined && (
        <p class="small">
          <Outside href={order.transactionUrl}>{texts.showTransaction}</Outside>
        </p>
      )}
    </div>
  );
}
