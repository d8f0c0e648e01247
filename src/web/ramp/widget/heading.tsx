/**
 * The heading of a step. It takes the focus when the step appears, so that screen readers read it.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Heading({
  children,
  isFirst = false,
}: {
  children: ComponentChildren;
  /** True for the first step of the page: the focus does not move. */
  isFirst?: boolean;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
