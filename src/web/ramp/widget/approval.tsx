/** The customer's bank asks for confirmation (3-D Secure), as simulated by the sandbox. */
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { Notice, Seal } from '../../ui/status.tsx';
import type { StepProps } from './api.ts';
import { faultText } from './fault.tsx';
import { Heading } from './heading.tsx';
import { useSpeech } from './speech.ts';
import { useAmounts } from './terms.tsx';

export function Approval({ state, api, take }: StepProps) {
  const { texts } = useSpeech();
  const { give } = useAmounts(state);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<RequestFault>();
  const answer = async (isApproved: boolean) => {
    setBusy(true);
    setFault(undefined);
    await api.approve(isApproved).then(take, setFault);
    setBusy(false);
  };
  return (
    <div class="stack outcome">
      <Seal tone="info" icon="lock" />
      <Heading>{texts.approveTitle}</Heading>
      <p>{texts.approveBody(give)}</p>
      {state.isSandbox && <Notice tone="warn">{texts.sandbox}</Notice>}
      {fault && (
        <Notice tone="bad" alert>
          {faultText(texts, fault)}
        </Notice>
      )}
      <Button look="primary" wide busy={isBusy} onClick={() => void answer(true)}>
        {texts.approve}
      </Button>
      <Button wide busy={isBusy} onClick={() => void answer(false)}>
        {texts.refuse}
      </Button>
    </div>
  );
}
