/** One line for each request, in the combined format of Web3Signer's access log. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const FIELD_CHARACTERS_MAX = 1024;

/**
 * Call before the request is processed; `write` receives the line, including its line feed, when
 * the request has been answered.
 */
export function logAccess(
  request: IncomingMessage,
  response: ServerResponse,
  write: (line: string) => void,
): void {
  const at = new Date().toUTCString();
  const remote = request.socket.remoteAddress ?? '-';
  response.once('close', () => {
    const { method, url, httpVersion, headers } = request;
    const sent = response.getHeader('content-length') ?? '-';
    const what = `"${field(method)} ${field(url)} HTTP/${httpVersion}" ${response.statusCode} ${sent}`;
    write(
      `${remote} - - [${at}] ${what} "${field(headers.referer)}" "${field(headers['user-agent'])}"\n`,
    );
  });
}

/** Escapes a client's text, so that it cannot look like another line or field. */
function field(text: string | undefined): string {
  if (text === undefined || text === '') return '-';
  return text
    .slice(0, FIELD_CHARACTERS_MAX)
    .replace(/[\p{Cc}"\\]/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
