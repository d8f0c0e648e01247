/** The selected node: health, peers, pool, and private transaction manager. */
import { Details } from '../../ui/content.tsx';
import { Badge, Notice } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Shown, useAsk } from '../node/ask.tsx';
import { useConnection, useHead } from '../node/connection.tsx';
import type { Rpc } from '../node/rpc.ts';
import { useNumbers } from '../parts/amount.tsx';
import { short } from '../parts/links.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { Tiles } from '../parts/tiles.tsx';
import { useSpeech } from '../speech.ts';

interface Peer {
  readonly id: string;
  readonly name: string;
  readonly network: { readonly remoteAddress: string; readonly inbound: boolean };
}

interface Readiness {
  readonly ready: boolean;
  /** Blocks by which its private states are behind; undefined: it has no private manager. */
  readonly privateBehind?: number;
  readonly reasons: readonly { readonly reason: string; readonly text: string }[];
}

const orUndefined = <T,>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);

/** Methods that the node does not offer give undefined. */
async function look(rpc: Rpc, http: string) {
  const [version, info, peers, pool, chain] = await Promise.all([
    rpc.call<string>('web3_clientVersion'),
    orUndefined(rpc.call<{ readonly enode: string }>('admin_nodeInfo')),
    orUndefined(rpc.call<readonly Peer[]>('admin_peers')),
    orUndefined(rpc.call<{ readonly pending: string; readonly queued: string }>('txpool_status')),
    rpc.call<string>('eth_chainId'),
  ]);
  return { version, info, peers, pool, chain, ready: await readiness(http) };
}

/** undefined: a node of another product, without `/ready`. */
async function readiness(http: string): Promise<Readiness | undefined> {
  try {
    const answer = await fetch(new URL('/ready', new URL(http, location.origin)), {
      cache: 'no-store',
    });
    const found = (await answer.json()) as Readiness;
    return typeof found.ready === 'boolean' ? found : undefined;
  } catch {
    return undefined;
  }
}

export function NodeView() {
  const { texts } = useSpeech();
  const { whole } = useNumbers();
  const { node } = useConnection();
  const { number } = useHead();
  const answer = useAsk((rpc) => look(rpc, node.http), 'node', number);
  return (
    <>
      <Heading title={node.name || texts.thisNode} />
      <Shown answer={answer}>
        {({ version, info, peers, pool, chain, ready }) => (
          <>
            {ready && <Health {...ready} />}
            <Tiles
              tiles={[
                { name: texts.peers, value: peers ? whole(peers.length) : '–' },
                { name: texts.poolPending, value: pool ? whole(pool.pending) : '–' },
                { name: texts.poolQueued, value: pool ? whole(pool.queued) : '–' },
                {
                  name: texts.privateManager,
                  value: ready ? <ManagerState {...ready} /> : '–',
                  ...(ready?.privateBehind === undefined
                    ? {}
                    : { note: texts.privateBehind(ready.privateBehind) }),
                },
              ]}
            />
            <Panel>
              <Details
                details={[
                  { name: texts.version, value: version },
                  { name: texts.chainId, value: String(Number(chain)) },
                  ...(info
                    ? [{ name: 'enode', value: <span class="code">{info.enode}</span> }]
                    : []),
                ]}
              />
            </Panel>
            {peers && (
              <Panel title={texts.peers}>
                <Peers {...{ peers }} />
              </Panel>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function Health({ ready, reasons }: Readiness) {
  const { texts } = useSpeech();
  return (
    <Notice tone={ready ? 'good' : 'bad'}>
      {ready && reasons.length === 0 ? texts.isWell : texts.isUnwell}
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ reason, text }) => (
            <li key={reason}>{text}</li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function ManagerState({ reasons, privateBehind }: Readiness) {
  const { texts } = useSpeech();
  if (privateBehind === undefined) return <>{texts.noManager}</>;
  const isBad = reasons.some(({ reason }) => /^(?:manager|private|diverged)$/.test(reason));
  return <Badge tone={isBad ? 'bad' : 'good'}>{isBad ? texts.faulty : texts.fine}</Badge>;
}

function Peers({ peers }: { peers: readonly Peer[] }) {
  const { texts } = useSpeech();
  const columns: readonly Column<Peer>[] = [
    { head: texts.node, cell: ({ id }) => <span class="code">{short(id)}</span> },
    { head: texts.version, cell: ({ name }) => name },
    { head: texts.host, cell: ({ network }) => network.remoteAddress },
    {
      head: texts.direction,
      cell: ({ network }) => (network.inbound ? texts.inbound : texts.outbound),
    },
  ];
  return (
    <Table
      {...{ columns }}
      label={texts.peers}
      rows={peers}
      keyOf={({ id }) => id}
      empty={texts.noPeers}
    />
  );
}
