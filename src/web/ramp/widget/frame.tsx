/** The frame of every step: the provider's name, language and colours, help. */
import type { ComponentChildren } from 'preact';
import type { WidgetPage } from '../../../core/ramp/page-data.ts';
import { Brand } from '../../ui/brand.tsx';
import { Skeleton } from '../../ui/content.tsx';
import { SmallSelect } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ThemeButton } from '../../ui/theme-button.tsx';
import { LANGUAGE_OPTIONS, useSpeech } from './speech.ts';

export function Frame({ page, children }: { page: WidgetPage; children: ComponentChildren }) {
  const { language, setLanguage, texts } = useSpeech();
  const { name, supportUrl, termsUrl } = page.provider;
  return (
    <div class="widget">
      <header class="widget-head">
        <Brand name={name} />
        <div class="widget-choices">
          <SmallSelect
            label={texts.language}
            value={language}
            options={LANGUAGE_OPTIONS}
            onInput={setLanguage}
          />
          <ThemeButton first={page.theme} texts={texts} />
        </div>
      </header>
      <main class="widget-card">{children}</main>
      <footer class="widget-foot">
        <p>
          <Icon name="lock" size={16} />
          {texts.secure}
        </p>
        {(supportUrl !== undefined || termsUrl !== undefined) && (
          <p>
            {supportUrl !== undefined && <Outside href={supportUrl}>{texts.support}</Outside>}
            {termsUrl !== undefined && <Outside href={termsUrl}>{texts.terms}</Outside>}
          </p>
        )}
      </footer>
    </div>
  );
}

export function Outside({ href, children }: { href: string; children: ComponentChildren }) {
  const { texts } = useSpeech();
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span class="hidden-text"> {texts.outside}</span>
    </a>
  );
}

export function Loading() {
  const { texts } = useSpeech();
  return (
    <div class="stack">
      <p class="hidden-text" role="status">
        {texts.working}
      </p>
      <Skeleton lines={6} />
    </div>
  );
}
