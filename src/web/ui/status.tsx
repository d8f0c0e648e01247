/** Status displays: notices, badges, seals, and the steps of a longer process. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

export type Tone = 'info' | 'good' | 'warn' | 'bad';

const ICONS: Readonly<Record<Tone, IconName>> = {
  info: 'info',
  good: 'check',
  warn: 'alert',
  bad: 'alert',
};

/** `alert`: read out immediately; for the outcome of the user's own action. */
export function Notice({
  tone = 'info',
  alert = false,
  children,
}: {
  tone?: Tone;
  alert?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={`notice notice-${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={ICONS[tone]} />
      <div>{children}</div>
    </div>
  );
}

export function Badge({ tone, children }: { tone: Tone | 'none'; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** The large icon at the top of an outcome. */
export function Seal({ tone, icon }: { tone: Tone; icon?: IconName }) {
  return (
    <div class={`seal seal-${tone}`}>
      <Icon name={icon ?? ICONS[tone]} size={32} />
    </div>
  );
}

export function Spinner() {
  return <span class="spinner" aria-hidden="true" />;
}

export interface TimelineStep {
  readonly title: string;
  readonly state: 'done' | 'now' | 'next' | 'stopped';
  readonly note?: ComponentChildren;
}

/** `states`: the name of each state, for screen readers. */
export function Timeline({
  label,
  steps,
  states,
}: {
  label: string;
  steps: readonly TimelineStep[];
  states: Readonly<Record<TimelineStep['state'], string>>;
}) {
  return (
    <ol class="timeline" aria-label={label}>
      {steps.map(({ title, state, note }, at) => (
        <li
          key={title}
          class="timeline-step"
          data-state={state}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          <span class="timeline-mark" aria-hidden="true">
            <Mark state={state} number={at + 1} />
          </span>
          <div class="timeline-text">
            <p class="timeline-title">
              {title}
              <span class="hidden-text"> – {states[state]}</span>
            </p>
            {note !== undefined && <div class="small soft">{note}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Mark({ state, number }: { state: TimelineStep['state']; number: number }) {
  if (state === 'done') return <Icon name="check" size={16} />;
  if (state === 'stopped') return <Icon name="cross" size={16} />;
  if (state === 'now') return <Spinner />;
  return <>{number}</>;
}
