import { createSpeech } from '../../ui/speech.tsx';
import { de } from './texts/de.ts';
import { en, type Texts } from './texts/en.ts';
import { es } from './texts/es.ts';

export const {
  Provider: SpeechProvider,
  useSpeech,
  options: LANGUAGE_OPTIONS,
} = createSpeech<Texts>({
  en,
  de,
  es,
});
