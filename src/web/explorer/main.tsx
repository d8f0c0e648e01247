/*! Includes Preact (MIT, Copyright 2015-present Jason Miller) and parts of viem (MIT, Copyright 2023-present weth, LLC), noble-curves and noble-hashes (MIT, Copyright Paul Miller). */
import { render } from 'preact';
import type { ExplorerPage } from '../../core/pages/explorer.ts';
import '../ui/styles/tokens.css';
import '../ui/styles/base.css';
import '../ui/styles/controls.css';
import '../ui/styles/content.css';
import '../ui/styles/board.css';
import './explorer.css';
import { pageData } from '../ui/page-data.ts';
import { App } from './app.tsx';

const root = document.getElementById('app')!;
root.replaceChildren();
render(<App page={pageData<ExplorerPage>()} />, root);
