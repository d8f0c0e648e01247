/** A recurring buy, and how its customer ends it, now or later. */
import type { WidgetAnswer, WidgetState } from '../../../core/ramp/page-data.ts';
import { Copyable } from '../../ui/content.tsx';
import { Notice } from '../../ui/status.tsx';
import type { WidgetApi } from './api.ts';
import { AskFirst } from './ask-first.tsx';
import { useSpeech } from './speech.ts';

export function Recurrence({
  state,
  api,
  take,
  onOpen,
}: {
  state: WidgetState;
  api: WidgetApi;
  take: (answer: WidgetAnswer) => void;
  onOpen: () => void;
}) {
  const { texts } = useSpeech();
  if (state.frequency === undefined) return null;
  if (!state.order?.recurs) return <Notice>{texts.recurrence.ended}</Notice>;
  return (
    <div class="stack-close">
      <Notice>{texts.repeats[state.frequency]}</Notice>
      {/* It has the secret of this page, which alone can end it. */}
      <Copyable label={texts.recurrence.link} value={location.href} texts={texts} />
      <AskFirst texts={texts.recurrence} act={() => api.stop()} {...{ take, onOpen }} />
    </div>
  );
}
