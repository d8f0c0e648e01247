/**
 * The document around every page: its script and style, what they start with, and what may not
 * happen in it. Nothing in it runs that is not ours, nothing is loaded from other hosts, and only
 * the partner's sites may frame it.
 */
import type { Partner } from '../../../core/ramp/config.ts';
import type { PageLook } from '../../../core/ramp/page-data.ts';
import type { HttpReply } from '../../../io/http/server.ts';
import type { Assets, PageName } from './assets.ts';
import { Html, html } from './html.ts';

export interface Page {
  readonly name: PageName;
  readonly title: string;
  readonly data: PageLook;
  /** For who has no scripts. */
  readonly plain: Html;
  readonly status?: number;
}

/** `partner`: whose sites may have this page in a frame. */
export function pageReply(
  { name, title, data, plain, status = 200 }: Page,
  partner: Partner | undefined,
  assets: Assets,
): HttpReply {
  const page = html`<!doctype html>
<html lang="${data.language}" data-theme="${data.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.path(name, 'css')}">
<script type="module" src="${assets.path(name, 'js')}"></script>
<script type="application/json" id="page-data">${scriptText(data)}</script>
</head>
<body>
<div id="app"><noscript>
${plain}
</noscript></div>
</body>
</html>
`;
  const ancestors = partner?.frameAncestors.length ? partner.frameAncestors.join(' ') : "'none'";
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
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

/** JSON in an element that does not run: nothing in it ends the element. */
function scriptText(data: object): Html {
  return new Html(JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
