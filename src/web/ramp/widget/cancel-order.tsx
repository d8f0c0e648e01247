/** Takes an order back that nothing was paid for. */
import { useState } from 'preact/hooks';
import type { WidgetAnswer } from '../../../core/ramp/page-data.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { Notice } from '../../ui/status.tsx';
import type { WidgetApi } from './api.ts';
import { faultText } from './fault.tsx';
import { useSpeech } from './speech.ts';

export function CancelOrder({
  api,
  take,
}: {
  api: WidgetApi;
  take: (answer: WidgetAnswer) => void;
}) {
  const { texts } = useSpeech();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<RequestFault>();
  const cancel = async () => {
    setBusy(true);
    setFault(undefined);
    await api.cancel().then((answer) => {
      setOpen(false);
      take(answer);
    }, setFault);
    setBusy(false);
  };
  return (
    <>
      <Button look="quiet" wide onClick={() => setOpen(true)}>
        {texts.cancelOrder}
      </Button>
      {isOpen && (
        <Dialog
          title={texts.cancelTitle}
          onClose={() => setOpen(false)}
          actions={
            <>
              <Button onClick={() => setOpen(false)}>{texts.keepOrder}</Button>
              <Button look="danger" busy={isBusy} onClick={() => void cancel()}>
                {texts.cancelOrder}
              </Button>
            </>
          }
        >
          <p>{texts.cancelBody}</p>
          {fault && (
            <Notice tone="bad" alert>
              {faultText(texts, fault)}
            </Notice>
          )}
        </Dialog>
      )}
    </>
  );
}
