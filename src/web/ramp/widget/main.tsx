/*! Includes Preact (MIT, Copyright 2015-present Jason Miller) and qr (MIT or Apache-2.0, Copyright 2023 Paul Miller). */
import { render } from 'preact';
import type { WidgetPage } from '../../../core/ramp/page-data.ts';
import '../../ui/styles/tokens.css';
import '../../ui/styles/base.css';
import '../../ui/styles/controls.css';
import '../../ui/styles/content.css';
import './widget.css';
import { pageData } from '../../ui/page-data.ts';
import { applyAccent } from '../../ui/theme.ts';
import { App } from './app.tsx';
import { SpeechProvider } from './speech.ts';

const page = pageData<WidgetPage>();
if (page.accent !== undefined) applyAccent(page.accent);
const root = document.getElementById('app')!;
root.replaceChildren();
render(
  <SpeechProvider first={page.language}>
    <App page={page} />
  </SpeechProvider>,
  root,
);
