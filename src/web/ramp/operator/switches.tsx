/** Kill switches: new orders are refused, existing ones continue. */
import { useState } from 'preact/hooks';
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { Badge, Notice } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import type { BothSwitches, OperatorApi, Switches } from './api.ts';
import { Load } from './load.tsx';

interface Switch {
  readonly name: string;
  readonly isOff: (switches: Switches) => boolean;
  readonly flip: (switches: Switches) => Switches;
}

export function SwitchesView({ api, page }: { api: OperatorApi; page: OperatorPage }) {
  return (
    <section class="panel stack">
      <h1>Switches</h1>
      <p class="soft">What is off refuses new orders. Begun orders continue.</p>
      <Load ask={() => api.switches()} name="switches">
        {(both, refresh) => <SwitchTable {...{ api, page, both, refresh }} />}
      </Load>
    </section>
  );
}

function SwitchTable({
  api,
  page,
  both,
  refresh,
}: {
  api: OperatorApi;
  page: OperatorPage;
  both: BothSwitches;
  refresh: () => void;
}) {
  const [chosen, setChosen] = useState<Switch>();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const flip = async (each: Switch) => {
    setBusy(true);
    await api.setSwitches(each.flip(both.own)).then(
      () => {
        setChosen(undefined);
        refresh();
      },
      ({ message }: RequestFault) => setFault(message),
    );
    setBusy(false);
  };
  const verb = chosen?.isOff(both.own) ? 'Switch on' : 'Switch off';
  return (
    <>
      <Table
        label="Switches"
        empty=""
        rows={switchesOf(page)}
        keyOf={({ name }) => name}
        columns={[
          { head: 'What', cell: ({ name }) => name },
          {
            head: 'State',
            cell: ({ isOff }) =>
              isOff(both.file) ? (
                <Badge tone="bad">off by the offer</Badge>
              ) : isOff(both.own) ? (
                <Badge tone="bad">off</Badge>
              ) : (
                <Badge tone="good">on</Badge>
              ),
          },
          {
            head: 'Change',
            cell: (each) => (
              <Button
                small
                look={each.isOff(both.own) ? 'second' : 'danger'}
                onClick={() => setChosen(each)}
              >
                {each.isOff(both.own) ? 'Switch on' : 'Switch off'}
                <span class="hidden-text"> {each.name}</span>
              </Button>
            ),
          },
        ]}
      />
      {chosen && (
        <Dialog
          title={`${verb}: ${chosen.name}?`}
          onClose={() => setChosen(undefined)}
          actions={
            <>
              <Button onClick={() => setChosen(undefined)}>Back</Button>
              <Button look="primary" busy={isBusy} onClick={() => void flip(chosen)}>
                {verb}
              </Button>
            </>
          }
        >
          <p>It holds within a second, on every instance, and is in the log.</p>
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

function switchesOf({ crypto, payments }: OperatorPage): readonly Switch[] {
  const side = (name: 'buy' | 'sell', label: string): Switch => ({
    name: label,
    isOff: (switches) => switches[name],
    flip: (switches) => ({ ...switches, [name]: !switches[name] }),
  });
  const one = (list: 'crypto' | 'payments', id: string, label: string): Switch => ({
    name: label,
    isOff: (switches) => switches[list].includes(id),
    flip: (switches) => {
      const others = switches[list].filter((each) => each !== id);
      return {
        ...switches,
        [list]: others.length === switches[list].length ? [...others, id] : others,
      };
    },
  });
  return [
    ...[side('buy', 'All buys'), side('sell', 'All sells')],
    ...crypto.map((id) => one('crypto', id, id.toUpperCase())),
    ...payments.map((id) => one('payments', id, id)),
  ];
}
