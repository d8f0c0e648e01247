/** The explorer: the present page and its frame. */
import type { ExplorerPage } from '../../core/pages/explorer.ts';
import { Frame } from './frame/frame.tsx';
import { ConnectionProvider } from './node/connection.tsx';
import { Heading } from './parts/panel.tsx';
import { Router, usePlace } from './router.tsx';
import { SpeechProvider, useSpeech } from './speech.ts';
import { AddressView } from './views/address.tsx';
import { BlockView } from './views/block.tsx';
import { Blocks } from './views/blocks.tsx';
import { Deploy } from './views/deploy.tsx';
import { Home } from './views/home.tsx';
import { NodeView } from './views/node.tsx';
import { Permissions } from './views/permissions.tsx';
import { LogView, TransactionView } from './views/transaction.tsx';
import { Transactions } from './views/transactions.tsx';
import { Validators } from './views/validators.tsx';

export function App({ page }: { page: ExplorerPage }) {
  return (
    <SpeechProvider first={page.language}>
      <Router base={page.base}>
        <ConnectionProvider page={page}>
          <Frame theme={page.theme}>
            <View />
          </Frame>
        </ConnectionProvider>
      </Router>
    </SpeechProvider>
  );
}

function View() {
  const { path } = usePlace();
  const [, kind = '', id = '', part = '', index = ''] = path.split('/');
  if (kind === '') return <Home />;
  if (kind === 'blocks') return <Blocks />;
  if (kind === 'txs') return <Transactions />;
  if (kind === 'deploy') return <Deploy />;
  if (kind === 'validators') return <Validators />;
  if (kind === 'permissions') return <Permissions />;
  if (kind === 'node') return <NodeView />;
  if (kind === 'block' && /^(?:\d{1,15}|0x[0-9a-f]{64})$/i.test(id)) return <BlockView id={id} />;
  if (kind === 'address' && /^0x[0-9a-f]{40}$/i.test(id)) return <AddressView address={id} />;
  if (kind === 'tx' && /^0x[0-9a-f]{64}$/i.test(id))
    return part === 'log' && /^\d{1,9}$/.test(index) ? (
      <LogView hash={id} index={Number(index)} />
    ) : (
      <TransactionView hash={id} />
    );
  return <Nowhere path={path} />;
}

function Nowhere({ path }: { path: string }) {
  const { texts } = useSpeech();
  return (
    <>
      <Heading title={texts.nowhere} />
      <p>{texts.nowhereBody(path)}</p>
    </>
  );
}
