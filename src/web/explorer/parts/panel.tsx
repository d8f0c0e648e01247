/** A section of a page with a heading. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

export function Panel({
  title,
  end,
  children,
}: {
  title?: string;
  /** Beside the heading. */
  end?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="panel stack">
      {title !== undefined && (
        <div class="panel-head">
          <h2>{title}</h2>
          {end}
        </div>
      )}
      {children}
    </section>
  );
}

/** The page's heading, and its title in the browser. */
export function Heading({
  title,
  badges,
  children,
}: {
  title: string;
  badges?: ComponentChildren;
  /** Below the heading: the exact subject. */
  children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Quorate explorer`;
  }, [title]);
  return (
    <div class="heading">
      <div class="heading-line">
        <h1>{title}</h1>
        {badges}
      </div>
      {children}
    </div>
  );
}
