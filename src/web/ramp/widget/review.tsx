/** The first step: the price, the amounts and the payment method; then the order. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Question } from '../../../core/ramp/page-data.ts';
import { Button } from '../../ui/button.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { Notice } from '../../ui/status.tsx';
import type { Answers, StepProps } from './api.ts';
import { faultText } from './fault.tsx';
import { Heading } from './heading.tsx';
import { Price } from './price.tsx';
import { Questions } from './questions.tsx';
import { useSpeech } from './speech.ts';
import { Exchange, TermSummary, useAmounts, Wallet } from './terms.tsx';

export function Review({ state, api, take }: StepProps) {
  const { texts } = useSpeech();
  const { give, get } = useAmounts(state);
  const [answers, setAnswers] = useState<Answers>(() => firstAnswers(state.questions));
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<RequestFault>();
  const form = useRef<HTMLFormElement>(null);
  const changed = useChange(get);
  useEffect(() => {
    if (fault?.field !== undefined) focusField(form.current, fault.field);
  }, [fault]);
  const order = async () => {
    setBusy(true);
    setFault(undefined);
    await api.order(state.quote!.quotedAtMs, answers).then(take, (found: RequestFault) => {
      setFault(found);
      if (found.code === 'quote_changed') void api.state().then(take, () => {});
      if (found.code === 'offer_over') void api.requote().then(take, () => {});
    });
    setBusy(false);
  };
  const isTransfer = state.payment.id.endsWith('-bank-transfer');
  const crypto = state.terms.crypto.toUpperCase();
  const action =
    state.side === 'sell' ? texts.sellNow(give) : isTransfer ? texts.order(give) : texts.pay(give);
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void order();
      }}
    >
      <div>
        <Heading isFirst>{state.side === 'buy' ? texts.buy(crypto) : texts.sell(crypto)}</Heading>
        <p class="small soft">{texts.forPartner(state.partner)}</p>
      </div>
      {state.isSandbox && <Notice tone="warn">{texts.sandbox}</Notice>}
      <Exchange state={state} />
      <Price {...{ state, api, take }} paused={isBusy} onFault={setFault} />
      <div role="status">{changed && <Notice>{texts.priceChanged(get)}</Notice>}</div>
      {state.frequency && <Notice>{texts.repeats[state.frequency]}</Notice>}
      <TermSummary state={state} />
      <div class="stack-close">
        <Wallet state={state} />
        <p class="small soft">{texts.walletHint}</p>
      </div>
      <Questions
        questions={state.questions}
        answers={answers}
        fault={fault}
        onAnswer={(name, value) => setAnswers({ ...answers, [name]: value })}
      />
      {fault && !isOfQuestion(fault, state.questions) && (
        <Notice tone="bad" alert>
          {faultText(texts, fault)}
        </Notice>
      )}
      <div class="stack-close">
        <Button type="submit" look="primary" wide busy={isBusy}>
          {isBusy ? texts.working : action}
        </Button>
        <a class="button button-quiet button-wide" href={state.leaveUrl}>
          {texts.leave(state.partner)}
        </a>
      </div>
    </form>
  );
}

function firstAnswers(questions: readonly Question[]): Answers {
  return Object.fromEntries(
    questions.map(({ name, choices }) => [name, choices?.[0]?.value ?? '']),
  );
}

function isOfQuestion(fault: RequestFault, questions: readonly Question[]): boolean {
  return questions.some(({ name }) => name === fault.field);
}

function focusField(form: HTMLFormElement | null, name: string): void {
  const control = form?.elements.namedItem(name);
  if (control instanceof HTMLElement) control.focus();
}

/** Whether the text differs from when the step appeared. */
function useChange(text: string): boolean {
  const first = useRef(text.replace(/\D/g, ''));
  return first.current !== text.replace(/\D/g, '');
}
