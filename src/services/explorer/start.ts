/**
 * Starts the explorer on its own address. It sends pages; the browser itself calls the nodes.
 */
import type { Log } from '../../core/base/ports.ts';
import { INTAKE } from '../../io/http/intake.ts';
import { type HttpReply, json, type Route, startHttpServer, text } from '../../io/http/server.ts';
import { EXPLORER_BASE, ExplorerSite } from '../../io/pages/explorer-site.ts';
import type { ExplorerSettings } from './config.ts';

/** Requests have no body. */
const BODY_BYTES_MAX = 1_024;

export interface RunningExplorer {
  /** The URL of the first page. */
  readonly url: string;
  close(): Promise<void>;
}

/** Resolves when the server listens. Throws PAGES_MISSING, HTTP_LISTEN_FAILED. */
export async function startExplorer(
  { host, port, setUp }: ExplorerSettings,
  log: Log,
): Promise<RunningExplorer> {
  const site = new ExplorerSite(setUp);
  const toStart: HttpReply = { ...text(302, ''), headers: { location: EXPLORER_BASE } };
  const page = (path: string, below: string): Route => ({
    ...{ method: 'GET', path },
    handle: ({ params, ...request }) => site.answer(below + (params['*'] ?? ''), request.header),
  });
  const server = await startHttpServer({
    routes: [
      { method: 'GET', path: '/', handle: () => toStart },
      { method: 'GET', path: '/health', handle: () => json(200, { status: 'ok' }) },
      page(EXPLORER_BASE, EXPLORER_BASE),
      page(`${EXPLORER_BASE}/*`, `${EXPLORER_BASE}/`),
    ],
    address: { kind: 'tcp', host, port },
    bodyBytesMax: BODY_BYTES_MAX,
    intake: INTAKE,
    failure: (error) => failed(error, log),
  });
  return { url: `${server.url}${EXPLORER_BASE}`, close: () => server.close() };
}

/** Faults of a request have their own status; all others are internal errors. */
function failed(error: unknown, log: Log): HttpReply {
  const { statusCode = 500, message } = error as { statusCode?: number; message: string };
  if (statusCode >= 500) {
    log('error', 'A page could not be sent', { err: message });
  }
  return text(statusCode, statusCode >= 500 ? 'internal error' : message);
}
