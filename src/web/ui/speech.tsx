/** Texts in the language that the user chose, for all components below. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import { keepPreference, preferenceOf } from './preferences.ts';

export interface Speech<T> {
  readonly language: string;
  readonly texts: T;
  setLanguage(language: string): void;
}

const NAMES: Readonly<Record<string, string>> = { en: 'English', de: 'Deutsch', es: 'Español' };

/** `catalogs`: all texts by language. */
export function createSpeech<T>(catalogs: Readonly<Record<string, T>>) {
  const Context = createContext<Speech<T> | undefined>(undefined);
  const languages = Object.keys(catalogs);
  return {
    options: languages.map((value) => ({ value, label: NAMES[value] ?? value })),
    /** `first`: the server's choice; the user's own choice takes precedence. */
    Provider({ first, children }: { first: string; children: ComponentChildren }) {
      const [language, setLanguage] = useState(() => {
        const kept = preferenceOf('language');
        return kept !== undefined && languages.includes(kept) ? kept : first;
      });
      // Before the texts are painted: a screen reader picks its voice by it.
      useLayoutEffect(() => {
        document.documentElement.lang = language;
      }, [language]);
      const choose = (next: string) => {
        keepPreference('language', next);
        setLanguage(next);
      };
      const speech = { language, texts: catalogs[language] as T, setLanguage: choose };
      return <Context.Provider value={speech}>{children}</Context.Provider>;
    },
    useSpeech(): Speech<T> {
      return useContext(Context) as Speech<T>;
    },
  };
}
