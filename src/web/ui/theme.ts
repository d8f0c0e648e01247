/** Light and dark, and the accent colour of the embedding site. */
export type Theme = 'auto' | 'light' | 'dark';

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

export function isDark(theme: Theme): boolean {
  if (theme !== 'auto') return theme === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

/** `accent`: `#rrggbb`. Text on it is black or white, whichever has the higher contrast. */
export function applyAccent(accent: string): void {
  const { style } = document.documentElement;
  style.setProperty('--accent', accent);
  style.setProperty('--on-accent', inkOn(accent));
}

/**
 * Black or white, whichever has the higher contrast: at least 4.5 for any colour (WCAG 2.2, 1.4.3).
 */
export function inkOn(color: string): '#000' | '#fff' {
  const luminance = luminanceOf(color);
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#fff' : '#000';
}

function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
