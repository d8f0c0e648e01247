/**
 * Preferences of a user on this device. A frame may have no storage: then they last until the page
 * is left.
 */
export function preferenceOf(name: string): string | undefined {
  try {
    return localStorage.getItem(`quorate-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepPreference(name: string, value: string): void {
  try {
    localStorage.setItem(`quorate-${name}`, value);
  } catch {
    // Storage is blocked.
  }
}
