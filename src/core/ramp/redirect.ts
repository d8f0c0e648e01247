/**
 * The address to which a customer is sent after the order: one that the partner has allowed, with
 * the order's id in it.
 */

/** Printable ASCII without characters that could end a text in HTML or in a header. */
const PLAIN = /^[!#-&(-;=?-[\]_a-z~]*$/;
/** Scheme, host and port, the rest. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)/;
const LENGTH_MAX = 2_048;

/**
 * `allowed`: scheme, host and beginning of a path, such as `https://example.org` or `app://done`.
 * Schemes and hosts must be lower case; an address with upper case there is refused.
 */
export function isRedirectAllowed(url: string, allowed: readonly string[]): boolean {
  const parts = PARTS.exec(url);
  if (!parts || url.length > LENGTH_MAX || !PLAIN.test(url)) return false;
  const [, scheme, host, path] = parts as unknown as [string, string, string, string];
  if (host.includes('@') || /%2e|%2f|%5c/i.test(path) || path.split('/').includes('..'))
    return false;
  return allowed.some((each) => {
    const [, wantedScheme, wantedHost, wantedPath] = PARTS.exec(each) ?? [];
    if (scheme !== wantedScheme || host !== wantedHost) return false;
    const base = wantedPath!.replace(/\/$/, '');
    return path === base || path.startsWith(`${base}/`);
  });
}

/** Adds `names` to the query, before the fragment; existing parameters stay. */
export function withOrderId(url: string, names: readonly string[], orderId: string): string {
  const [address, fragment] = url.split(/#(.*)/s) as [string, string | undefined];
  const added = names.map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(orderId)}`);
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${joint}${added.join('&')}${fragment === undefined ? '' : `#${fragment}`}`;
}
