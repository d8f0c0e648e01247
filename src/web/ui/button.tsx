/** Buttons, and links that look like them. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

type Look = 'primary' | 'second' | 'quiet' | 'danger';

interface ButtonProps {
  readonly look?: Look;
  readonly wide?: boolean;
  readonly small?: boolean;
  /** The action is running: the button says so, keeps the focus, and ignores clicks. */
  readonly busy?: boolean;
  readonly type?: 'button' | 'submit';
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

export function Button({
  look = 'second',
  wide = false,
  small = false,
  busy = false,
  type = 'button',
  onClick,
  children,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={classes(look, wide, small)}
      aria-disabled={busy ? 'true' : undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.();
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

export function ButtonLink({
  href,
  look = 'second',
  wide = false,
  beside = false,
  children,
}: {
  href: string;
  look?: Look;
  wide?: boolean;
  /** Opens a new tab. */
  beside?: boolean;
  children: ComponentChildren;
}) {
  return (
    <a
      href={href}
      class={classes(look, wide, false)}
      {...(beside ? { target: '_blank', rel: 'noopener' } : {})}
    >
      {children}
    </a>
  );
}

export function IconButton({
  icon,
  label,
  onClick,
}: {
  icon: IconName;
  label: string;
  onClick: () => void;
}) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

function classes(look: Look, wide: boolean, small: boolean): string {
  return `button button-${look}${wide ? ' button-wide' : ''}${small ? ' button-small' : ''}`;
}
