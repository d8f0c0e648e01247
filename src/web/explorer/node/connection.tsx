/** The selected node, with the token and private state, and its newest block. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { ExplorerNode, ExplorerPage } from '../../../core/pages/explorer.ts';
import { type HeadState, watchHead } from './head.ts';
import { Rpc } from './rpc.ts';

export interface Access {
  readonly token: string;
  readonly psi: string;
}

interface Connection {
  readonly page: ExplorerPage;
  readonly rpc: Rpc;
  readonly node: ExplorerNode;
  /** Identifies node, token and private state: another key means other answers. */
  readonly key: string;
  readonly access: Access;
  choose(node: ExplorerNode): void;
  setAccess(access: Access): void;
}

const Connected = createContext<Connection | undefined>(undefined);
const NewHead = createContext<HeadState>({ number: undefined, isReachable: true, isLive: false });
const NO_ACCESS: Access = { token: '', psi: '' };

export function ConnectionProvider({
  page,
  children,
}: {
  page: ExplorerPage;
  children: ComponentChildren;
}) {
  const [node, setNode] = useState(() => kept(page) ?? page.nodes[0]!);
  const [access, setAccess] = useState(() => keptAccess(node));
  const { token, psi } = access;
  const rpc = useMemo(() => new Rpc(node.http, token, psi), [node, token, psi]);
  const [head, setHead] = useState<HeadState>({
    ...{ number: undefined, isReachable: true, isLive: false },
  });
  useEffect(() => {
    setHead({ number: undefined, isReachable: true, isLive: false });
    // A browser's WebSocket cannot send the token.
    return watchHead(rpc, token === '' && psi === '' ? node.ws : undefined, setHead);
  }, [rpc]);
  const connection = {
    ...{ page, rpc, node, access },
    key: `${node.http} ${token} ${psi}`,
    choose(next: ExplorerNode) {
      keep('node', next.name);
      setNode(next);
      setAccess(keptAccess(next));
    },
    setAccess(next: Access) {
      keep(`access ${node.http}`, JSON.stringify(next));
      setAccess(next);
    },
  };
  return (
    <Connected.Provider value={connection}>
      <NewHead.Provider value={head}>{children}</NewHead.Provider>
    </Connected.Provider>
  );
}

export const useConnection = (): Connection => useContext(Connected) as Connection;
export const useHead = (): HeadState => useContext(NewHead);

/** Stored only for this tab, so that no token remains. */
function keep(name: string, value: string): void {
  try {
    sessionStorage.setItem(`quorate-explorer ${name}`, value);
  } catch {
    // Storage is blocked.
  }
}

function keptText(name: string): string | null {
  try {
    return sessionStorage.getItem(`quorate-explorer ${name}`);
  } catch {
    return null;
  }
}

function kept({ nodes }: ExplorerPage): ExplorerNode | undefined {
  const name = keptText('node');
  return nodes.find((each) => each.name === name);
}

function keptAccess({ http }: ExplorerNode): Access {
  return { ...NO_ACCESS, ...(JSON.parse(keptText(`access ${http}`) ?? '{}') as Partial<Access>) };
}
