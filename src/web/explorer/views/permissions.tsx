/** A permissioned network: the tree of its organisations, their content, and pending approvals. */
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Badge, Notice, type Tone } from '../../ui/status.tsx';
import { Shown, useAsk } from '../node/ask.tsx';
import { useConnection, useHead } from '../node/connection.tsx';
import type { Rpc } from '../node/rpc.ts';
import { AddressLink } from '../parts/links.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { Refused } from '../sending/outcome.tsx';
import { SenderField } from '../sending/sender-field.tsx';
import { useSenders } from '../sending/senders.ts';
import { useSending } from '../sending/use-sending.ts';
import { useSpeech } from '../speech.ts';
import { type Approval, approvalsOf, type Network, type Org } from './approvals.ts';

async function look(rpc: Rpc): Promise<Network> {
  const [orgs, nodes, accounts, roles] = await Promise.all([
    rpc.call<Network['orgs']>('quorumPermission_orgList'),
    rpc.call<Network['nodes']>('quorumPermission_nodeList'),
    rpc.call<Network['accounts']>('quorumPermission_acctList'),
    rpc.call<Network['roles']>('quorumPermission_roleList'),
  ]);
  return { orgs: orgs ?? [], nodes: nodes ?? [], accounts: accounts ?? [], roles: roles ?? [] };
}

export function Permissions() {
  const { texts } = useSpeech();
  const { number } = useHead();
  const answer = useAsk(look, 'permissions', number);
  return (
    <>
      <Heading title={texts.permissions} />
      {answer.fault?.isMissing ? (
        <Notice>{texts.notPermissioned}</Notice>
      ) : (
        <Shown answer={answer}>
          {(network) => (
            <>
              <Waiting {...{ network }} onApproved={answer.again} />
              <Panel title={texts.organisations}>
                <OrgTree {...{ network }} parent="" />
              </Panel>
            </>
          )}
        </Shown>
      )}
    </>
  );
}

function Waiting({ network, onApproved }: { network: Network; onApproved: () => void }) {
  const { texts } = useSpeech();
  const senders = useSenders();
  const own = { ...senders, closed: [], list: senders.list.filter(({ kind }) => kind === 'node') };
  const [chosen, choose] = useState('');
  const approvals = approvalsOf(network);
  const sender = own.list.find(({ id }) => id === chosen) ?? own.list[0];
  return (
    <Panel title={texts.waiting}>
      {approvals.length === 0 ? (
        <p class="soft">{texts.nothingWaits}</p>
      ) : (
        <>
          <SenderField senders={own} value={sender?.id ?? ''} onInput={choose} />
          <ul class="entries">
            {approvals.map((each) => (
              <ApprovalRow
                key={`${each.kind} ${each.method} ${JSON.stringify(each.args)}`}
                approval={each}
                from={sender?.address}
                onApproved={onApproved}
              />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function ApprovalRow({
  approval: { kind, what, method, args },
  from,
  onApproved,
}: {
  approval: Approval;
  from: string | undefined;
  onApproved: () => void;
}) {
  const { texts } = useSpeech();
  const { rpc } = useConnection();
  const sending = useSending();
  const approve = () =>
    void sending
      .start(() => rpc.call<string>(`quorumPermission_${method}`, ...args, { from }))
      .then((said) => said !== undefined && onApproved());
  return (
    <li class="stack-close entry">
      <div class="panel-head">
        <span>
          {texts.approvals[kind]} <strong class="code">{what}</strong>
        </span>
        <Button small busy={sending.isBusy} onClick={approve}>
          {texts.approve}
        </Button>
      </div>
      {sending.hash !== undefined && <Notice tone="good">{texts.approved}</Notice>}
      {sending.fault && <Refused fault={sending.fault} />}
    </li>
  );
}

const ORG_TONES: readonly (Tone | 'none')[] = ['none', 'warn', 'good', 'warn', 'bad', 'warn'];

function OrgTree({ network, parent }: { network: Network; parent: string }) {
  const orgs = network.orgs.filter(({ parentOrgId }) => parentOrgId === parent);
  if (orgs.length === 0) return null;
  return (
    <ul class="tree">
      {orgs.map((org) => (
        <li key={org.fullOrgId}>
          <OrgEntry {...{ org, network }} />
          <OrgTree {...{ network }} parent={org.fullOrgId} />
        </li>
      ))}
    </ul>
  );
}

function OrgEntry({ org, network }: { org: Org; network: Network }) {
  const { texts } = useSpeech();
  const isOwn = (record: { readonly orgId: string }) => record.orgId === org.fullOrgId;
  const [nodes, accounts, roles] = [network.nodes, network.accounts, network.roles].map(
    (list) => list.filter(isOwn) as never[],
  ) as unknown as [Network['nodes'], Network['accounts'], Network['roles']];
  return (
    <details class="entry" open={org.parentOrgId === ''}>
      <summary>
        <strong>{org.orgId}</strong>{' '}
        <Badge tone={ORG_TONES[org.status] ?? 'none'}>
          {texts.orgStates[org.status] ?? org.status}
        </Badge>
      </summary>
      <div class="stack-close">
        <Entries title={texts.nodes}>
          {nodes.map(({ url, status }) => (
            <li key={url}>
              <span class="code">{url}</span>{' '}
              <Badge tone={status === 2 ? 'good' : 'warn'}>
                {texts.nodeStates[status] ?? status}
              </Badge>
            </li>
          ))}
        </Entries>
        <Entries title={texts.accounts}>
          {accounts.map(({ acctId, roleId, status, isOrgAdmin }) => (
            <li key={acctId}>
              <AddressLink address={acctId} /> {roleId}{' '}
              {isOrgAdmin && <Badge tone="info">{texts.admin}</Badge>}{' '}
              <Badge tone={status === 2 ? 'good' : 'warn'}>
                {texts.accountStates[status] ?? status}
              </Badge>
            </li>
          ))}
        </Entries>
        <Entries title={texts.roles}>
          {roles.map(({ roleId, access, active }) => (
            <li key={roleId}>
              {roleId} – {texts.accesses[access] ?? access} {!active && `(${texts.inactive})`}
            </li>
          ))}
        </Entries>
      </div>
    </details>
  );
}

function Entries({ title, children }: { title: string; children: readonly ComponentChild[] }) {
  if (children.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="small entries">{children}</ul>
    </>
  );
}
