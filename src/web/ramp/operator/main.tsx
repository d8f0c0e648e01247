/*! Includes Preact (MIT, Copyright 2015-present Jason Miller). */
import { render } from 'preact';
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import '../../ui/styles/tokens.css';
import '../../ui/styles/base.css';
import '../../ui/styles/controls.css';
import '../../ui/styles/content.css';
import '../../ui/styles/board.css';
import './operator.css';
import { pageData } from '../../ui/page-data.ts';
import { App } from './app.tsx';

const root = document.getElementById('app')!;
root.replaceChildren();
render(<App page={pageData<OperatorPage>()} />, root);
