/**
 * The payment provider's page cannot be shown in a frame, so a widget in a frame opens it in a new
 * tab.
 */
import type { WidgetState } from '../../../core/ramp/page-data.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Heading } from './heading.tsx';
import { useSpeech } from './speech.ts';
import { useAmounts } from './terms.tsx';

export function PayPage({ state, url }: { state: WidgetState; url: string }) {
  const { texts } = useSpeech();
  const { give } = useAmounts(state);
  return (
    <>
      <Heading>{texts.payPageTitle}</Heading>
      <p>{texts.payPageBody(give)}</p>
      <ButtonLink href={url} look="primary" wide beside={isFramed()}>
        {texts.payPage}
        {isFramed() && <span class="hidden-text"> {texts.outside}</span>}
      </ButtonLink>
    </>
  );
}

export function isFramed(): boolean {
  return window.top !== window.self;
}
