/**
 * Queries the node for a page's data: repeated with each block if necessary, and when another node
 * is selected.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/content.tsx';
import { Notice } from '../../ui/status.tsx';
import { useSpeech } from '../speech.ts';
import { useConnection } from './connection.tsx';
import type { Rpc, RpcFault } from './rpc.ts';

export interface Answer<T> {
  readonly value: T | undefined;
  readonly fault: RpcFault | undefined;
  again(): void;
}

/**
 * `key`: starts a new query when it changes. `again`: repeats the query while the old data stay
 * visible.
 */
export function useAsk<T>(
  ask: (rpc: Rpc) => Promise<T>,
  key: string,
  again?: number | undefined,
): Answer<T> {
  const { rpc, key: node } = useConnection();
  const whole = `${node} ${key}`;
  const [found, setFound] = useState<{ readonly of: string; readonly value: T }>();
  const [fault, setFault] = useState<{ readonly of: string; readonly fault: RpcFault }>();
  const [tries, setTries] = useState(0);
  const latest = useRef(whole);
  latest.current = whole;
  useEffect(() => {
    ask(rpc).then(
      (value) => {
        if (latest.current !== whole) return;
        setFound({ of: whole, value });
        setFault(undefined);
      },
      (reason: RpcFault) => {
        if (latest.current === whole) setFault({ of: whole, fault: reason });
      },
    );
  }, [whole, again, tries]);
  return {
    value: found?.of === whole ? found.value : undefined,
    fault: fault?.of === whole ? fault.fault : undefined,
    again: () => setTries(tries + 1),
  };
}

/** Repeats the query each time `when` changes; undefined: never. */
export function useAskAgain(again: () => void, when: number | undefined): void {
  useEffect(() => {
    if (when !== undefined) again();
  }, [when]);
}

/** Shows the loading state, the data, or the error. */
export function Shown<T>({
  answer,
  lines = 5,
  children,
}: {
  answer: Answer<T>;
  lines?: number;
  children: (value: T) => ComponentChildren;
}) {
  const { texts } = useSpeech();
  const { value, fault, again } = answer;
  if (value !== undefined) return <>{children(value)}</>;
  if (!fault) return <Skeleton lines={lines} />;
  if (fault.isMissing) return <Notice>{texts.notServed(fault.message)}</Notice>;
  return (
    <Notice tone="bad" alert>
      <p>{fault.code === undefined ? texts.unreachable : fault.message}</p>
      <Button small onClick={again}>
        {texts.tryAgain}
      </Button>
    </Notice>
  );
}
