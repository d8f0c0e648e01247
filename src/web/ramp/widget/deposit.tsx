/** Where the customer sends the crypto of a sell. */
import type { WidgetState } from '../../../core/ramp/page-data.ts';
import { Copyable } from '../../ui/content.tsx';
import { dateTime } from '../../ui/format.ts';
import { QrCode } from '../../ui/qr.tsx';
import { Notice } from '../../ui/status.tsx';
import { Heading } from './heading.tsx';
import { useSpeech } from './speech.ts';
import { useAmounts } from './terms.tsx';

export function Deposit({
  state,
  address,
  dueMs,
}: {
  state: WidgetState;
  address: string;
  dueMs: number | undefined;
}) {
  const { language, texts } = useSpeech();
  const { give } = useAmounts(state);
  const { network } = state.terms;
  return (
    <>
      <div>
        <Heading>{texts.depositTitle(give)}</Heading>
        <p>{texts.depositBody}</p>
      </div>
      <QrCode text={address} label={texts.depositQr} />
      <div class="stack-close">
        <Copyable label={texts.depositAddress} value={address} texts={texts} />
        <Copyable label={texts.amount} value={state.terms.amountIn} texts={texts} />
      </div>
      <Notice tone="warn">{texts.depositNetworkWarning(network)}</Notice>
      {dueMs !== undefined && <p class="small soft">{texts.until(dateTime(dueMs, language))}</p>}
    </>
  );
}
