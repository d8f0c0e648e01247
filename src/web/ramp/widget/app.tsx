/** The widget: its present step, and the changes from step to step. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type {
  NextStep,
  WidgetAnswer,
  WidgetPage,
  WidgetState,
} from '../../../core/ramp/page-data.ts';
import type { RequestFault } from '../../ui/request.ts';
import { WidgetApi } from './api.ts';
import { Approval } from './approval.tsx';
import { Fault, LoadingFault } from './fault.tsx';
import { Frame, Loading } from './frame.tsx';
import { OrderStep } from './order-step.tsx';
import { isFramed } from './pay-page.tsx';
import { Review } from './review.tsx';
import { useSpeech } from './speech.ts';

export function App({ page }: { page: WidgetPage }) {
  return (
    <Frame page={page}>
      {page.kind === 'fault' ? <Fault fault={page.fault} /> : <Session page={page} />}
    </Frame>
  );
}

function Session({ page }: { page: Exclude<WidgetPage, { kind: 'fault' }> }) {
  const api = useMemo(
    () => new WidgetApi(page.kind === 'open' ? page.session : location.hash.slice(1)),
    [page],
  );
  const [state, setState] = useState(page.kind === 'open' ? page.state : undefined);
  const [next, setNext] = useState<NextStep | undefined>(() => history.state?.next);
  const again = useMemo(() => history.state?.again ?? againUrl(page), [page]);
  const [fault, setFault] = useState<RequestFault>();
  const take = (answer: WidgetAnswer) => {
    setState(answer.state);
    if (answer.next) setNext(answer.next);
    if (answer.state.order)
      keepPlace(answer.state, api.session, { next: answer.next ?? next, again });
    if (answer.next?.kind === 'page' && !isFramed()) location.assign(answer.next.url);
  };
  const load = () => {
    setFault(undefined);
    api.state().then(take, setFault);
  };
  useEffect(() => {
    if (state === undefined) load();
  }, []);
  useTitle(state);
  if (fault !== undefined) return <LoadingFault fault={fault} onAgain={load} />;
  if (state === undefined) return <Loading />;
  if (state.order === undefined) return <Review {...{ state, api, take }} />;
  const { code } = state.order;
  // The order's status may not yet say that its customer must approve.
  const isAsked = next?.kind === 'approval' && code === 'PROVIDER-PENDING-ORDER';
  const isAnswered = next?.kind === 'taken' || next?.kind === 'declined';
  if (isAsked || (code === 'PROVIDER-PENDING-AUTHORIZATION' && !isAnswered)) {
    return <Approval {...{ state, api, take }} />;
  }
  return <OrderStep order={state.order} {...{ state, next, again, api, take }} />;
}

/**
 * A reloaded page finds its order again: the secret is in the URL's fragment, which no server and
 * no log sees.
 */
function keepPlace({ partnerId }: WidgetState, session: string, kept: object): void {
  const query = new URLSearchParams({ partnerAccountId: partnerId });
  history.replaceState(kept, '', `widget?${query}#${session}`);
}

/** The URL to start the page again; a partner's order id is valid for one order only. */
function againUrl({ kind }: WidgetPage): string | undefined {
  const url = new URL(location.href);
  return kind === 'open' && !url.searchParams.has('orderCustomId') ? url.href : undefined;
}

function useTitle(state: WidgetState | undefined): void {
  const { texts } = useSpeech();
  useEffect(() => {
    if (!state) return;
    const crypto = state.terms.crypto.toUpperCase();
    document.title = state.side === 'buy' ? texts.buy(crypto) : texts.sell(crypto);
  }, [state, texts]);
}
