/** Pages that cannot be shown, and what the customer can do. */
import type { PageFault } from '../../../core/ramp/page-data.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { Seal } from '../../ui/status.tsx';
import { Heading } from './heading.tsx';
import { useSpeech } from './speech.ts';
import type { Texts } from './texts/en.ts';

/** In the page's language if the code is known, otherwise as the server said it. */
export function faultText(
  texts: Texts,
  { code, message }: { code: string; message: string },
): string {
  return texts.faults[code] ?? message;
}

export function Fault({ fault }: { fault: PageFault }) {
  const { texts } = useSpeech();
  const { status, field, message, requestId, leaveUrl } = fault;
  const isTemporary = status >= 500 || status === 429;
  return (
    <div class="stack outcome">
      <Seal tone={isTemporary ? 'warn' : 'bad'} />
      <Heading isFirst>{texts.faultTitle}</Heading>
      <p>{faultText(texts, fault)}</p>
      {field !== undefined && (
        <div class="fault-field">
          <p class="small soft">{texts.faultField(field)}</p>
          <code>{message}</code>
        </div>
      )}
      {status === 400 && <p class="small soft">{texts.faultHelp}</p>}
      <p class="small soft">
        {texts.faultSupport}: <code>{requestId}</code>
      </p>
      {isTemporary && (
        <Button look="primary" wide onClick={() => location.reload()}>
          {texts.reload}
        </Button>
      )}
      {leaveUrl !== undefined && (
        <ButtonLink href={leaveUrl} wide>
          {texts.backNow(new URL(leaveUrl).host || leaveUrl)}
        </ButtonLink>
      )}
    </div>
  );
}

/** The page was loaded, but its order was not. */
export function LoadingFault({ fault, onAgain }: { fault: RequestFault; onAgain: () => void }) {
  const { texts } = useSpeech();
  return (
    <div class="stack outcome">
      <Seal tone="warn" />
      <Heading>{texts.faultTitle}</Heading>
      <p role="alert">{faultText(texts, fault)}</p>
      {fault.status !== 403 && (
        <Button look="primary" wide onClick={onAgain}>
          {texts.reload}
        </Button>
      )}
    </div>
  );
}
