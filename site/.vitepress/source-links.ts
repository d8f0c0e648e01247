/** Links between files of the project: to their places in the site; a file of the source is only named. */
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { placeOf } from './places.ts';

type Rule = NonNullable<MarkdownRenderer['renderer']['rules']['link_open']>;

const ELSEWHERE = /^(?:[a-z]+:|#|\/)/;

/** `folder`: of the project. */
export function sourceLinks(markdown: MarkdownRenderer, folder: string): void {
  const { rules } = markdown.renderer;
  const openLink: Rule =
    rules.link_open ??
    ((...[tokens, at, options, , self]) => self.renderToken(tokens, at, options));
  /** Of the links that are open, whether they are only named. */
  const named: boolean[] = [];
  rules.link_open = (tokens, at, options, env, self) => {
    const token = tokens[at]!;
    const href = token.attrGet('href') ?? '';
    const [path = '', anchor] = decodeURI(href).split('#');
    const page = posix.relative(folder, env.realPath ?? env.path);
    const target = posix.join(posix.dirname(page), path);
    const place = ELSEWHERE.test(href) ? href : placeOf(target);
    named.push(place === undefined);
    if (place === undefined)
      return `<span class="source" title="${markdown.utils.escapeHtml(target)}">`;
    if (place !== href)
      token.attrSet('href', `/${place}${anchor === undefined ? '' : `#${anchor}`}`);
    return openLink(tokens, at, options, env, self);
  };
  rules.link_close = (tokens, at, options, _env, self) =>
    named.pop() ? '</span>' : self.renderToken(tokens, at, options);
}
