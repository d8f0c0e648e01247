/** The operator's page: the sign-in form, or the chosen view. */
import { useMemo, useState } from 'preact/hooks';
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import { Brand } from '../../ui/brand.tsx';
import { Button } from '../../ui/button.tsx';
import { ThemeButton } from '../../ui/theme-button.tsx';
import { OperatorApi } from './api.ts';
import { BalancesView } from './balances.tsx';
import { Orders } from './orders.tsx';
import { Overview } from './overview.tsx';
import { SignIn } from './sign-in.tsx';
import { SwitchesView } from './switches.tsx';

const VIEWS = ['Overview', 'Orders', 'Balances', 'Switches'] as const;
const THEME_TEXTS = { toDark: 'Dark colours', toLight: 'Light colours' };

export function App({ page }: { page: OperatorPage }) {
  const [csrf, setCsrf] = useState(page.csrf);
  const api = useMemo(() => (csrf === undefined ? undefined : new OperatorApi(csrf)), [csrf]);
  const [view, setView] = useState<(typeof VIEWS)[number]>('Overview');
  const [order, setOrder] = useState<string>();
  const show = (id: string) => {
    setOrder(id);
    setView('Orders');
  };
  return (
    <div class="board">
      <header class="board-head">
        <Brand name={page.provider.name} />
        {api && (
          <nav class="board-nav" aria-label="Views">
            {VIEWS.map((name) => (
              <button
                key={name}
                type="button"
                class="board-tab"
                aria-current={name === view ? 'page' : undefined}
                onClick={() => {
                  setOrder(undefined);
                  setView(name);
                }}
              >
                {name}
              </button>
            ))}
          </nav>
        )}
        <div class="board-end">
          <ThemeButton first={page.theme} texts={THEME_TEXTS} />
          {api && (
            <Button
              look="quiet"
              small
              onClick={() => void api.signOut().finally(() => setCsrf(undefined))}
            >
              Sign out
            </Button>
          )}
        </div>
      </header>
      <main class="board-main">
        {!api && <SignIn onSignedIn={setCsrf} />}
        {api && view === 'Overview' && <Overview {...{ api, show }} />}
        {api && view === 'Orders' && <Orders {...{ api, page }} shown={order} onShow={setOrder} />}
        {api && view === 'Balances' && <BalancesView {...{ api, page }} />}
        {api && view === 'Switches' && <SwitchesView {...{ api, page }} />}
      </main>
    </div>
  );
}
