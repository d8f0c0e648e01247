/**
 * Calls between contracts within a transaction, from the node's call tracer; only fetched on
 * request.
 */
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Shown, useAsk } from '../node/ask.tsx';
import { useSpeech } from '../speech.ts';
import { useNumbers } from './amount.tsx';
import { AddressLink } from './links.tsx';
import { Panel } from './panel.tsx';

interface Frame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly error?: string;
  readonly calls?: readonly Frame[];
}

interface Row extends Frame {
  readonly depth: number;
  readonly at: number;
}

const ROWS_MAX = 500;

export function InternalCalls({ hash }: { hash: string }) {
  const { texts } = useSpeech();
  const [isAsked, setAsked] = useState(false);
  return (
    <Panel title={texts.internalCalls}>
      {isAsked ? (
        <Calls hash={hash} />
      ) : (
        <div>
          <Button small onClick={() => setAsked(true)}>
            {texts.trace}
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Calls({ hash }: { hash: string }) {
  const { texts } = useSpeech();
  const { ether } = useNumbers();
  const answer = useAsk(
    // With `tracerConfig` a marker's calls are those of its private transaction.
    (rpc) =>
      rpc.call<Frame>('debug_traceTransaction', hash, { tracer: 'callTracer', tracerConfig: {} }),
    `calls ${hash}`,
  );
  const columns: readonly Column<Row>[] = [
    { head: texts.kind, cell: ({ type, depth }) => `${'· '.repeat(depth)}${type}` },
    { head: texts.from, cell: ({ from }) => <AddressLink address={from} /> },
    { head: texts.to, cell: ({ to }) => (to === undefined ? '' : <AddressLink address={to} />) },
    { head: texts.value, isNumber: true, cell: ({ value }) => ether(value ?? '0x0') },
    { head: texts.fault, cell: ({ error }) => error ?? '' },
  ];
  return (
    <Shown answer={answer}>
      {(frame) => (
        <Table
          {...{ columns }}
          label={texts.internalCalls}
          rows={rowsOf(frame.calls ?? [])}
          keyOf={({ at }) => String(at)}
          empty={texts.noInternalCalls}
        />
      )}
    </Shown>
  );
}

function rowsOf(frames: readonly Frame[]): Row[] {
  const rows: Row[] = [];
  const waiting = [...frames].reverse().map((frame) => ({ frame, depth: 0 }));
  for (let next = waiting.pop(); next && rows.length < ROWS_MAX; next = waiting.pop()) {
    const { frame, depth } = next;
    rows.push({ ...frame, depth, at: rows.length });
    for (const each of [...(frame.calls ?? [])].reverse())
      waiting.push({ frame: each, depth: depth + 1 });
  }
  return rows;
}
