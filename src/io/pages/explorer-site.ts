/**
 * The explorer as a server sends it: the same page for every path below its own, and its script and
 * style.
 */
import { fail } from '../../core/base/errors.ts';
import type { ExplorerNode, ExplorerPage } from '../../core/pages/explorer.ts';
import { Assets } from './assets.ts';
import { documentReply, type PageReply } from './document.ts';
import { html } from './html.ts';
import { languageOf } from './language.ts';

const TITLE = 'Quorate explorer';
/** Path below which all its pages are. */
export const EXPLORER_BASE = '/explorer';

export type ExplorerSetUp = Omit<ExplorerPage, 'language' | 'theme'>;

export class ExplorerSite {
  private readonly assets = new Assets(['explorer']);
  private readonly setUp: ExplorerSetUp;

  /** Throws PAGES_MISSING. */
  constructor(setUp: ExplorerSetUp) {
    this.setUp = setUp;
  }

  /** Whether `path` belongs to the explorer. */
  has(path: string): boolean {
    const { base } = this.setUp;
    return path === base || path.startsWith(`${base}/`);
  }

  /** `header` returns a header of the request, by its name in lower case. */
  answer(path: string, header: (name: string) => string | undefined): PageReply {
    const { base, nodes, signer } = this.setUp;
    const folder = `${base}/assets/`;
    if (path.startsWith(folder)) {
      const name = path.slice(folder.length);
      return this.assets.reply(name, header('accept-encoding')) ?? MISSING;
    }
    return documentReply({
      title: TITLE,
      data: { ...this.setUp, language: languageOf(header('accept-language')), theme: 'auto' },
      plain: html`<p>This page needs JavaScript.</p>`,
      script: `${base}/${this.assets.path('explorer', 'js')}`,
      style: `${base}/${this.assets.path('explorer', 'css')}`,
      frameAncestors: [],
      connect: [...nodes.flatMap(({ http, ws }) => [http, ws]), signer].flatMap(originOf),
    });
  }
}

const MISSING: PageReply = {
  ...{ status: 404, type: 'text/plain; charset=utf-8', body: 'not found\n' },
  headers: { 'x-content-type-options': 'nosniff' },
};

/**
 * Items are `NAME=URL` or `URL`; a URL without a name is named by its host. Throws
 * OPTION_VALUE_INVALID with the name of the option.
 */
export function namedNodes(list: readonly string[], option: string): ExplorerNode[] {
  return list.map((text) => {
    const at = /^https?:/.test(text) ? -1 : text.indexOf('=');
    const http = urlOf(text.slice(at + 1), option)!;
    const name = at > 0 ? text.slice(0, at) : new URL(http).host;
    return { name, http, ws: http.replace(/^http/, 'ws') };
  });
}

const MANAGER_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Items are `NAME=KEY`. Throws OPTION_VALUE_INVALID with the name of the option. */
export function namedKeys(list: readonly string[], option: string): ExplorerPage['parties'] {
  return list.map((text) => {
    const at = text.indexOf('=');
    const key = text.slice(at + 1);
    if (at > 0 && MANAGER_KEY.test(key)) return { name: text.slice(0, at), key };
    throw fail('OPTION_VALUE_INVALID', `${option}: ${text} is not NAME=KEY with a key in base64`);
  });
}

/** Throws OPTION_VALUE_INVALID. undefined: no URL is given. */
export function urlOf(text: string | undefined, option: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.username !== '' || url.password !== ''))
    throw fail(
      'OPTION_VALUE_INVALID',
      `${option}: a page is for everybody: name a URL without credentials`,
    );
  if (url && /^https?:$/.test(url.protocol)) return url.href.replace(/\/$/, '');
  throw fail('OPTION_VALUE_INVALID', `${option}: ${text} is not an http:// or https:// URL`);
}

/** Origins for the page's policy; none for a path, which is on the page's own server. */
function originOf(url: string | undefined): string[] {
  if (url === undefined || url.startsWith('/')) return [];
  const { protocol, host } = new URL(url);
  return [`${protocol}//${host}`];
}
