/** The members of a Raft cluster, and which of them mints. */
import { Badge } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { short } from '../parts/links.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSpeech } from '../speech.ts';

export interface RaftMember {
  readonly raftId: number;
  readonly nodeId: string;
  readonly hostname?: string;
  readonly ip?: string;
  readonly p2pPort: number;
  readonly raftPort: number;
  readonly role: string;
  readonly nodeActive: boolean;
}

export function RaftMembers({
  members,
  leader,
}: {
  members: readonly RaftMember[];
  leader: string;
}) {
  const { texts } = useSpeech();
  const columns: readonly Column<RaftMember>[] = [
    { head: texts.raftId, isNumber: true, cell: ({ raftId }) => raftId },
    { head: texts.node, cell: ({ nodeId }) => <span class="code">{short(nodeId)}</span> },
    { head: texts.host, cell: ({ hostname, ip, p2pPort }) => `${hostname || ip}:${p2pPort}` },
    {
      head: texts.role,
      cell: ({ role, nodeId }) => (
        <Badge tone={nodeId === leader ? 'good' : 'none'}>
          {nodeId === leader ? texts.leader : role}
        </Badge>
      ),
    },
    {
      head: texts.state,
      cell: ({ nodeActive }) => (
        <Badge tone={nodeActive ? 'good' : 'bad'}>
          {nodeActive ? texts.reachable : texts.away}
        </Badge>
      ),
    },
  ];
  return (
    <Panel title={texts.raftMembers}>
      <Table
        {...{ columns }}
        label={texts.raftMembers}
        rows={members}
        keyOf={({ raftId }) => String(raftId)}
        empty=""
      />
    </Panel>
  );
}
