/**
 * Heads of calls in the form in which most clients send them. Everything that is not certain to
 * mean the same to node:http is left to it.
 */

export interface PlainHead {
  readonly host: string;
  readonly contentType: string;
  readonly contentLength: number;
  readonly acceptsGzip: boolean;
}

/** Lines end with CR LF, and consist of visible characters. */
const HEAD = /^POST \/ HTTP\/1\.1\r\n((?:[A-Za-z-]+: [!-~](?:[ -~]*[!-~])?\r\n)+)\r\n$/;
/** Headers without any effect on the answer. */
const WITHOUT_EFFECT = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'pragma',
  'sec-fetch-mode',
  'user-agent',
]);

/** Longer ones are rare. */
const CHARACTERS_MAX = 4 * 1024;

/** `text` ends with an empty line. Undefined: it is not such a head. */
export function parsePlainHead(text: string): PlainHead | undefined {
  const lines = text.length > CHARACTERS_MAX ? undefined : HEAD.exec(text)?.[1];
  if (lines === undefined) return undefined;
  const values = new Map<string, string>();
  for (const line of lines.split('\r\n').slice(0, -1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (values.has(name)) return undefined;
    values.set(name, line.slice(colon + 2));
  }
  let [host, contentType, length, acceptsGzip] = ['', '', '', false];
  for (const [name, value] of values) {
    if (name === 'host') host = value;
    else if (name === 'content-type') contentType = value;
    else if (name === 'content-length') length = value;
    else if (name === 'accept-encoding') acceptsGzip = /\bgzip\b/.test(value);
    else if (
      name === 'connection' ? value.toLowerCase() !== 'keep-alive' : !WITHOUT_EFFECT.has(name)
    )
      return undefined;
  }
  if (host === '' || !/^\d{1,9}$/.test(length)) return undefined;
  return { host, contentType, contentLength: Number(length), acceptsGzip };
}
