/** Tabs (WAI-ARIA): shows one part of a page; arrow keys move between them. */
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

export interface Tab {
  readonly id: string;
  readonly name: string;
  content(): ComponentChildren;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [chosen, choose] = useState(tabs[0]?.id);
  const list = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const at = Math.max(
    0,
    tabs.findIndex(({ id }) => id === chosen),
  );
  const tab = tabs[at];
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + tabs.length) % tabs.length;
    choose(tabs[next]?.id);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <section class="panel stack">
      <div ref={list} class="board-nav" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            class="board-tab"
            id={`${prefix}-${id}`}
            aria-selected={id === tab?.id}
            aria-controls={`${prefix}-panel`}
            tabIndex={id === tab?.id ? 0 : -1}
            onClick={() => choose(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        key={tab?.id}
        id={`${prefix}-panel`}
        class="stack"
        role="tabpanel"
        aria-labelledby={`${prefix}-${tab?.id}`}
      >
        {tab?.content()}
      </div>
    </section>
  );
}
