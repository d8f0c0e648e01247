/** Balances in the books, and of the account that pays out. */
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import { Notice } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { unitsText } from './amounts.ts';
import type { OperatorApi } from './api.ts';
import { Load } from './load.tsx';

export function BalancesView({ api, page }: { api: OperatorApi; page: OperatorPage }) {
  return (
    <section class="panel stack">
      <h1>Balances</h1>
      <Load ask={() => api.balances()} name="balances">
        {({ books, ledger, lacking }) => (
          <>
            {lacking.length > 0 && (
              <Notice tone="bad">
                Payouts wait: the account has too little of{' '}
                {lacking.map((asset) => nameOf(asset, page)).join(', ')}.
              </Notice>
            )}
            <h2>On the ledger</h2>
            <Table
              label="On the ledger"
              empty="There is no payout account: set one with --ledger.from."
              rows={ledger}
              keyOf={({ asset }) => asset}
              columns={[
                { head: 'Account', cell: ({ address }) => <code>{address}</code> },
                {
                  head: 'Balance',
                  isNumber: true,
                  cell: ({ units, asset }) =>
                    units === undefined
                      ? `${nameOf(asset, page)}: the ledger does not answer`
                      : unitsText(units, asset, page),
                },
              ]}
            />
            <h2>In the books</h2>
            <Table
              label="In the books"
              empty="No money has moved yet."
              rows={books}
              keyOf={({ account, asset }) => `${account} ${asset}`}
              columns={[
                { head: 'Account', cell: ({ account }) => account },
                {
                  head: 'Balance',
                  isNumber: true,
                  cell: ({ units, asset }) => unitsText(units, asset, page),
                },
              ]}
            />
          </>
        )}
      </Load>
    </section>
  );
}

function nameOf(asset: string, { assets }: OperatorPage): string {
  return (assets.find((each) => each.asset === asset)?.name ?? asset).toUpperCase();
}
