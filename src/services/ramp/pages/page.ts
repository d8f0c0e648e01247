/** A page of the ramp: only the partner's own sites may frame it. */
import type { Partner } from '../../../core/ramp/config.ts';
import type { PageLook } from '../../../core/ramp/page-data.ts';
import type { HttpReply, Route } from '../../../io/http/server.ts';
import type { Assets, PageName } from '../../../io/pages/assets.ts';
import { documentReply } from '../../../io/pages/document.ts';
import type { Html } from '../../../io/pages/html.ts';
import { missingReply } from '../api/routes.ts';

export interface Page {
  readonly name: PageName;
  readonly title: string;
  readonly data: PageLook;
  /** For browsers without scripts. */
  readonly plain: Html;
  readonly status?: number;
}

/** `partner`: whose sites may have this page in a frame. */
export function pageReply(
  { name, ...page }: Page,
  partner: Partner | undefined,
  assets: Assets,
): HttpReply {
  return documentReply({
    ...page,
    style: assets.path(name, 'css'),
    script: assets.path(name, 'js'),
    frameAncestors: partner?.frameAncestors ?? [],
  });
}

export function assetsRoute(assets: Assets): Route {
  return {
    ...{ method: 'GET', path: '/assets/:name' },
    handle: (request) =>
      assets.reply(request.params.name ?? '', request.header('accept-encoding')) ?? missingReply(),
  };
}
