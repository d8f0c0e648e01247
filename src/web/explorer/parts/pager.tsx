/** Page navigation of a list that begins with the newest entries. */
import { Button } from '../../ui/button.tsx';
import { useSpeech } from '../speech.ts';

export function Pager({
  onNewest,
  onOlder,
}: {
  /** undefined: the newest are shown. */
  onNewest: (() => void) | undefined;
  /** undefined: there are none. */
  onOlder: (() => void) | undefined;
}) {
  const { texts } = useSpeech();
  if (!onNewest && !onOlder) return null;
  return (
    <div class="dialog-actions">
      {onNewest && (
        <Button small onClick={onNewest}>
          {texts.newest}
        </Button>
      )}
      {onOlder && (
        <Button small onClick={onOlder}>
          {texts.older}
        </Button>
      )}
    </div>
  );
}
