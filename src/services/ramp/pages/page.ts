/** The frame of all pages: one column, readable in light and dark, without scripts. */
import { createHash } from 'node:crypto';
import type { Partner } from '../../../core/ramp/config.ts';
import type { HttpReply } from '../../../io/http/server.ts';
import { Html, html } from './html.ts';

const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:30rem;padding:1rem}
h1{font-size:1.4rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}
dd{margin:0;text-align:end;overflow-wrap:anywhere}
label,legend{display:block;font-weight:600;margin-top:1rem}
input,select,button{box-sizing:border-box;font:inherit;min-height:2.75rem;padding:.5rem;width:100%}
button{background:#0b57d0;border:0;border-radius:.5rem;color:#fff;cursor:pointer;font-weight:600;margin-top:1.5rem}
:focus-visible{outline:3px solid #f5a623;outline-offset:2px}
.hint{font-size:.9rem;margin:.25rem 0}
.wrong{border-inline-start:.3rem solid #b3261e;padding-inline-start:.6rem}
.total{font-weight:700}
footer{font-size:.9rem;margin-top:1.5rem}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Where forms of this page may lead, behind a redirect too. */
  readonly redirectUrl?: string | undefined;
}

/** `partner`: whose pages may have this one in a frame. */
export function pageReply(
  { title, body, status = 200, redirectUrl }: Page,
  partner: Partner | undefined,
): HttpReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  const ancestors = partner?.frameAncestors.length ? partner.frameAncestors.join(' ') : "'none'";
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${redirectUrl === undefined ? '' : ` ${sourceOf(redirectUrl)}`}`,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
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
    },
  };
}

/** The address of a web page as a source; of an application, its scheme. */
function sourceOf(url: string): string {
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol;
}

export function seeOther(url: string): HttpReply {
  return {
    status: 303,
    type: 'text/plain',
    body: '',
    headers: { location: url, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  };
}
