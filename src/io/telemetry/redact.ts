/** Removes secrets from log lines and errors: passwords in URLs, and bearer tokens. */

/** The user info: the part before the last `@` of a URL's authority (RFC 3986, section 3.2.1). */
const USER_INFO = /\/\/([^\s/?#"'<>]*)@/g;
const NODE_SCHEME = 'enode:';
const BEARER = /bearer\s+[\w.~+/=-]+/gi;

/** The same text with `***` instead of secrets. The public key of a node URL is not a secret. */
export function redact(text: string): string {
  return text
    .replace(USER_INFO, (_match, user: string, at: number) => {
      const scheme = text.slice(Math.max(0, at - NODE_SCHEME.length), at).toLowerCase();
      return `//${scheme === NODE_SCHEME ? user.replace(/:.*/s, ':***') : '***'}@`;
    })
    .replace(BEARER, 'Bearer ***');
}
