/** The head of a step. It takes the focus when the step comes, so that it is read out. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Heading({
  children,
  isFirst = false,
}: {
  children: ComponentChildren;
  /** Of the step that the page starts with: the focus stays where it is. */
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
