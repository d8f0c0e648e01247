/** The explorer's texts, in the user's language. */
import { createSpeech } from '../ui/speech.tsx';
import { de } from './texts/de.ts';
import { en, type Texts } from './texts/en.ts';
import { es } from './texts/es.ts';

export const {
  options: LANGUAGE_OPTIONS,
  Provider: SpeechProvider,
  useSpeech,
} = createSpeech<Texts>({ en, de, es });
