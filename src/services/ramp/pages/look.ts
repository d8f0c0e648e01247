/** Language and colours of a page, by its parameters and the browser's preferences. */
import { THEMES, type Theme } from '../../../core/pages/look.ts';
import type { Partner, RampConfig } from '../../../core/ramp/config.ts';
import type { PageLook } from '../../../core/ramp/page-data.ts';
import type { HttpRequest } from '../../../io/http/server.ts';
import { languageOf } from '../../../io/pages/language.ts';
import { badField } from '../api/refusal.ts';

const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/;

/**
 * Throws a Refusal for invalid parameters. For an unknown language, the browser's preference
 * counts.
 */
export function checkLook({ query }: HttpRequest): void {
  const { language, theme } = query;
  if (language !== undefined && !LANGUAGE_TAG.test(String(language))) {
    throw badField('language', 'language_invalid', 'must be a language, such as en or de-AT');
  }
  if (theme !== undefined && !THEMES.includes(theme as Theme)) {
    throw badField('theme', 'theme_invalid', `must be one of ${THEMES.join(', ')}`);
  }
}

export function lookOf(
  request: HttpRequest,
  { provider }: RampConfig,
  partner: Partner | undefined,
): PageLook {
  const { theme } = request.query;
  return {
    language: languageOf(request.header('accept-language'), request.query.language),
    theme: THEMES.find((each) => each === theme) ?? 'auto',
    ...(partner?.accent === undefined ? {} : { accent: partner.accent }),
    provider,
  };
}
