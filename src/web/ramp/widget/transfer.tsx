/** The data that a customer needs for the bank transfer. */
import type { ShownOrder, WidgetState } from '../../../core/ramp/page-data.ts';
import { Copyable } from '../../ui/content.tsx';
import { dateTime } from '../../ui/format.ts';
import { Notice } from '../../ui/status.tsx';
import { Heading } from './heading.tsx';
import { useSpeech } from './speech.ts';
import { useAmounts } from './terms.tsx';

export function Transfer({
  state,
  order,
  lines,
}: {
  state: WidgetState;
  order: ShownOrder;
  lines: readonly (readonly [name: string, value: string])[];
}) {
  const { language, texts } = useSpeech();
  const { give } = useAmounts(state);
  return (
    <>
      <Heading>{texts.transferTitle}</Heading>
      <p>{texts.transferBody}</p>
      {state.isSandbox && <Notice tone="warn">{texts.sandbox}</Notice>}
      <div class="stack-close">
        <Copyable label={texts.amount} value={give} texts={texts} />
        {lines.map(([name, value]) => (
          <Copyable
            key={name}
            label={texts.transferLines[name] ?? name}
            value={value}
            texts={texts}
          />
        ))}
      </div>
      {order.dueMs !== undefined && (
        <p class="small soft">{texts.until(dateTime(order.dueMs, language))}</p>
      )}
    </>
  );
}
