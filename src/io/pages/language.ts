/** The initial language of a page. */
import { LANGUAGES, type Language } from '../../core/pages/look.ts';

/**
 * The first requested language that is available: `asked` for this page, then those of
 * `Accept-Language`, which every browser sends in order of their weights. English if there is none.
 */
export function languageOf(accepted: string | undefined, asked?: string | undefined): Language {
  for (const each of [asked ?? '', ...(accepted ?? '').split(',')]) {
    const primary = each.trim().slice(0, 2).toLowerCase();
    const found = LANGUAGES.find((language) => language === primary);
    if (found) return found;
  }
  return 'en';
}
