/** Switches between light and dark. */
import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { keepPreference, preferenceOf } from './preferences.ts';
import { applyTheme, isDark, type Theme } from './theme.ts';

/** `first`: the server's choice; the user's own choice takes precedence. */
export function ThemeButton({
  first,
  texts,
}: {
  first: Theme;
  texts: { readonly toDark: string; readonly toLight: string };
}) {
  const [theme, setTheme] = useState<Theme>(() => {
    const kept = preferenceOf('theme');
    return kept === 'light' || kept === 'dark' ? kept : first;
  });
  useEffect(() => applyTheme(theme), [theme]);
  const dark = isDark(theme);
  const choose = () => {
    const next = dark ? 'light' : 'dark';
    keepPreference('theme', next);
    setTheme(next);
  };
  return (
    <IconButton
      icon={dark ? 'sun' : 'moon'}
      label={dark ? texts.toLight : texts.toDark}
      onClick={choose}
    />
  );
}
