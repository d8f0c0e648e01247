/** Language and colours of a page, by its parameters and by what the browser prefers. */
import type { Partner, RampConfig } from '../../../core/ramp/config.ts';
import {
  LANGUAGES,
  type Language,
  type PageLook,
  THEMES,
  type Theme,
} from '../../../core/ramp/page-data.ts';
import type { HttpRequest } from '../../../io/http/server.ts';
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
    language: languageOf(request),
    theme: THEMES.find((each) => each === theme) ?? 'auto',
    ...(partner?.accent === undefined ? {} : { accent: partner.accent }),
    provider,
  };
}

/**
 * The first requested language that is available. Weights of `Accept-Language` are in order in
 * every browser.
 */
function languageOf(request: HttpRequest): Language {
  const accepted = (request.header('accept-language') ?? '').split(',');
  for (const asked of [String(request.query.language ?? ''), ...accepted]) {
    const primary = asked.trim().slice(0, 2).toLowerCase();
    const found = LANGUAGES.find((each) => each === primary);
    if (found) return found;
  }
  return 'en';
}
