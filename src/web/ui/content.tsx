/** Details in two columns, texts to copy, and placeholders. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { useDelay } from './timers.ts';

export interface Detail {
  readonly name: string;
  readonly value: ComponentChildren;
  /** Separated from the rows above. */
  readonly isTotal?: boolean;
}

export function Details({ details }: { details: readonly Detail[] }) {
  return (
    <dl class="details">
      {details.map(({ name, value, isTotal = false }) => (
        <>
          <dt class={isTotal ? 'details-total' : undefined}>{name}</dt>
          <dd class={isTotal ? 'details-total' : undefined}>{value}</dd>
        </>
      ))}
    </dl>
  );
}

const COPIED_MS = 2_500;

/** A text with a button that copies it. `texts`: the button's labels before and after. */
export function Copyable({
  label,
  value,
  texts,
}: {
  label: string;
  value: string;
  texts: { readonly copy: (what: string) => string; readonly copied: string };
}) {
  const [isCopied, setCopied] = useState(false);
  useDelay(isCopied ? COPIED_MS : undefined, () => setCopied(false));
  return (
    <div class="copyable">
      <div class="copyable-text">
        <span class="copyable-label">{label}</span>
        <span class="copyable-value">{value}</span>
      </div>
      <IconButton
        icon={isCopied ? 'check' : 'copy'}
        label={texts.copy(label)}
        onClick={() => void copyText(value).then(setCopied)}
      />
      <span class="hidden-text" role="status">
        {isCopied ? texts.copied : ''}
      </span>
    </div>
  );
}

/**
 * Returns whether the text was copied. Where a frame may not use the clipboard API, the older
 * method may work.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    return isDone;
  }
}

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="stack-close" aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class="skeleton" />
      ))}
    </div>
  );
}
