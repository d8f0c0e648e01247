/** Loads data, and repeats that from time to time; shows the loading state or the error. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/content.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { Notice } from '../../ui/status.tsx';
import { useRepeat } from '../../ui/timers.ts';

const REFRESH_MS = 10_000;

export function Load<T>({
  ask,
  name,
  children,
}: {
  ask: () => Promise<T>;
  /** Loads again when it changes. */
  name: string;
  children: (found: T, refresh: () => void) => ComponentChildren;
}) {
  const [found, setFound] = useState<{ readonly of: string; readonly value: T }>();
  const [fault, setFault] = useState<RequestFault>();
  const refresh = () =>
    ask().then((value) => {
      setFound({ of: name, value });
      setFault(undefined);
    }, setFault);
  useEffect(() => void refresh(), [name]);
  useRepeat(REFRESH_MS, refresh);
  const shown = found?.of === name ? found.value : undefined;
  return (
    <div class="stack">
      {fault && (
        <Notice tone="bad" alert>
          {fault.status === 401 ? 'Your session has ended: sign in again. ' : `${fault.message}. `}
          <Button small onClick={() => (fault.status === 401 ? location.reload() : void refresh())}>
            {fault.status === 401 ? 'Sign in' : 'Try again'}
          </Button>
        </Notice>
      )}
      {shown === undefined
        ? !fault && <Skeleton lines={5} />
        : children(shown, () => void refresh())}
    </div>
  );
}
