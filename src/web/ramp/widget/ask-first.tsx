/** A button for an action that cannot be undone: a dialog asks first, and shows errors. */
import { useState } from 'preact/hooks';
import type { WidgetAnswer } from '../../../core/ramp/page-data.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { Notice } from '../../ui/status.tsx';
import { faultText } from './fault.tsx';
import { useSpeech } from './speech.ts';

export function AskFirst({
  texts: { action, title, body, keep },
  act,
  take,
  onOpen,
}: {
  texts: { readonly action: string; title: string; body: string; keep: string };
  act: () => Promise<WidgetAnswer>;
  take: (answer: WidgetAnswer) => void;
  onOpen: () => void;
}) {
  const { texts } = useSpeech();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<RequestFault>();
  const open = () => {
    setOpen(true);
    onOpen();
  };
  const go = async () => {
    setBusy(true);
    setFault(undefined);
    await act().then((answer) => {
      setOpen(false);
      take(answer);
    }, setFault);
    setBusy(false);
  };
  return (
    <>
      <Button look="quiet" wide onClick={open}>
        {action}
      </Button>
      {isOpen && (
        <Dialog
          title={title}
          onClose={() => setOpen(false)}
          actions={
            <>
              <Button onClick={() => setOpen(false)}>{keep}</Button>
              <Button look="danger" busy={isBusy} onClick={() => void go()}>
                {action}
              </Button>
            </>
          }
        >
          <p>{body}</p>
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
