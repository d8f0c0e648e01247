/** One order with its history, and the actions on it. */
import { useState } from 'preact/hooks';
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import { Button } from '../../ui/button.tsx';
import { Details } from '../../ui/content.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { dateTime } from '../../ui/format.ts';
import type { RequestFault } from '../../ui/request.ts';
import { Notice } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { cryptoOf, fiatOf, unitsText } from './amounts.ts';
import { ACTIONS, type Action, type OperatorApi, type OrderHistory } from './api.ts';
import { Load } from './load.tsx';
import { OrderState } from './order-table.tsx';

/** The effect of each action, shown before it is confirmed. */
const MEANINGS: Readonly<Record<Action, string>> = {
  hold: 'Nothing is paid out until it is released.',
  release: 'The order continues, and due payouts are made.',
  refund: 'The customer gets back what they paid or sent, and the order ends.',
  cancel: 'Ends an order that has not been paid.',
};

export function OrderView({
  api,
  page,
  id,
  onBack,
}: {
  api: OperatorApi;
  page: OperatorPage;
  id: string;
  onBack: () => void;
}) {
  return (
    <section class="panel stack">
      <div>
        <Button look="quiet" small onClick={onBack}>
          All orders
        </Button>
      </div>
      <Load ask={() => api.order(id)} name={id}>
        {(history, refresh) => (
          <>
            <Summary history={history} />
            <Actions {...{ api, id, refresh }} />
            <History {...{ history, page }} />
          </>
        )}
      </Load>
    </section>
  );
}

function Summary({ history: { order } }: { history: OrderHistory }) {
  const details = [
    { name: 'State', value: <OrderState order={order} /> },
    { name: 'Reason', value: order.statusReason },
    { name: 'Fiat', value: fiatOf(order) },
    { name: 'Crypto', value: cryptoOf(order) },
    { name: 'Payment', value: order.payment },
    { name: 'Partner', value: order.partnerAccountId },
    { name: 'Wallet', value: <code>{order.walletAddress}</code> },
    { name: 'Transaction', value: <code>{order.transactionHash ?? 'none yet'}</code> },
    { name: 'Created', value: dateTime(Date.parse(order.createdAt), 'en') },
    { name: 'Changed', value: dateTime(Date.parse(order.updatedAt), 'en') },
  ];
  return (
    <>
      <h1>
        {order.side === 'buy' ? 'Buy' : 'Sell'} <code>{order.id}</code>
      </h1>
      <Details details={details} />
    </>
  );
}

function Actions({ api, id, refresh }: { api: OperatorApi; id: string; refresh: () => void }) {
  const [action, setAction] = useState<Action>();
  const [why, setWhy] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const close = () => {
    setAction(undefined);
    setFault(undefined);
    setWhy('');
  };
  const act = async (chosen: Action) => {
    setBusy(true);
    await api.act(id, chosen, why).then(
      () => {
        close();
        refresh();
      },
      ({ message }: RequestFault) => setFault(message),
    );
    setBusy(false);
  };
  return (
    <>
      <div class="actions">
        {ACTIONS.map((each) => (
          <Button
            key={each}
            small
            look={each === 'refund' || each === 'cancel' ? 'danger' : 'second'}
            onClick={() => setAction(each)}
          >
            {titleOf(each)}
          </Button>
        ))}
      </div>
      {action && (
        <Dialog
          title={`${titleOf(action)} this order?`}
          onClose={close}
          actions={
            <>
              <Button onClick={close}>Back</Button>
              <Button look="primary" busy={isBusy} onClick={() => void act(action)}>
                {`${titleOf(action)} order`}
              </Button>
            </>
          }
        >
          <p>{MEANINGS[action]}</p>
          <TextField
            label="Why"
            name="why"
            value={why}
            hint="Stays in the history of the order"
            onInput={setWhy}
          />
          {fault && (
            <Notice tone="bad" alert>
              {fault}
            </Notice>
          )}
        </Dialog>
      )}
    </>
  );
}

function History({ history, page }: { history: OrderHistory; page: OperatorPage }) {
  const time = (at: string) => dateTime(Date.parse(at), 'en');
  return (
    <>
      <h2>History</h2>
      <Table
        label="History"
        empty="Nothing has happened yet."
        rows={history.events.map((event, at) => ({ ...event, key: String(at) }))}
        keyOf={({ key }) => key}
        columns={[
          { head: 'Time', cell: ({ at }) => time(at) },
          { head: 'Event', cell: ({ type }) => type },
          {
            head: 'Details',
            cell: ({ data }) =>
              Object.entries(data)
                .map(([name, value]) => `${name}: ${value}`)
                .join(', '),
          },
        ]}
      />
      <h2>Postings</h2>
      <Table
        label="Postings"
        empty="No money has moved."
        rows={history.postings.map((posting, at) => ({ ...posting, key: String(at) }))}
        keyOf={({ key }) => key}
        columns={[
          { head: 'Time', cell: ({ at }) => time(at) },
          { head: 'Account', cell: ({ account }) => account },
          {
            head: 'Amount',
            isNumber: true,
            cell: ({ units, asset }) => unitsText(units, asset, page),
          },
        ]}
      />
    </>
  );
}

function titleOf(action: Action): string {
  return action.slice(0, 1).toUpperCase() + action.slice(1);
}
