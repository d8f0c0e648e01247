/**
 * The document around every page: its script, style, initial data and content security policy. It
 * runs only our own scripts, and loads nothing from other hosts.
 */
import type { Language, Theme } from '../../core/pages/look.ts';
import { Html, html } from './html.ts';

export interface PageReply {
  readonly status: number;
  /** Media type. */
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageDocument {
  readonly title: string;
  /** Data for the page's script, in the element with the id `page-data`. */
  readonly data: { readonly language: Language; readonly theme: Theme };
  /** Content for browsers without scripts. */
  readonly plain: Html;
  readonly status?: number | undefined;
  /** Paths as they appear in the page. */
  readonly script: string;
  readonly style: string;
  /** Sites that may embed the page in a frame; empty: none. */
  readonly frameAncestors: readonly string[];
  /** Hosts to which the page may connect in addition to its own server. */
  readonly connect?: readonly string[] | undefined;
}

export function documentReply(document: PageDocument): PageReply {
  const { title, data, plain, script, style, status = 200, connect = [] } = document;
  const page = html`<!doctype html>
<html lang="${data.language}" data-theme="${data.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
<script type="application/json" id="page-data">${scriptText(data)}</script>
</head>
<body>
<div id="app"><noscript>
${plain}
</noscript></div>
</body>
</html>
`;
  const { frameAncestors } = document;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${["'self'", ...connect].join(' ')}`,
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    status,
    type: 'text/html; charset=utf-8',
    body: page.text,
    headers: {
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    },
  };
}

/** JSON as text of an element that is not executed; no part of it can close the element. */
function scriptText(data: object): Html {
  return new Html(JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
