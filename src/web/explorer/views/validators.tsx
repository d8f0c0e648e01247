/**
 * The nodes that make the blocks: validators with votes, rounds and missed turns, or the members of
 * a Raft cluster.
 */
import { Notice } from '../../ui/status.tsx';
import { Shown, useAsk } from '../node/ask.tsx';
import { blocksFrom } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import { type Rpc, RpcFault } from '../node/rpc.ts';
import type { Block } from '../node/types.ts';
import { Heading } from '../parts/panel.tsx';
import { useSpeech } from '../speech.ts';
import { type RaftMember, RaftMembers } from './raft-members.tsx';
import { ValidatorPanel, type Voting } from './validator-panel.tsx';

/** The number of blocks for which rounds and turns are counted. */
const LOOK_BLOCKS = 64;

interface Found {
  readonly voting: Voting | undefined;
  readonly raft: { readonly members: readonly RaftMember[]; readonly leader: string } | undefined;
}

async function look(rpc: Rpc): Promise<Found> {
  try {
    return { voting: await lookAtVoting(rpc), raft: undefined };
  } catch (error) {
    if (!(error instanceof RpcFault) || !error.isMissing) throw error;
  }
  try {
    const [members, leader] = await Promise.all([
      rpc.call<readonly RaftMember[]>('raft_cluster'),
      rpc.call<string>('raft_leader').catch(() => ''),
    ]);
    return { voting: undefined, raft: { members, leader } };
  } catch (error) {
    if (!(error instanceof RpcFault) || !error.isMissing) throw error;
    return { voting: undefined, raft: undefined };
  }
}

async function lookAtVoting(rpc: Rpc): Promise<Voting> {
  const [validators, self, head] = await Promise.all([
    rpc.call<readonly string[]>('istanbul_getValidators', 'latest'),
    rpc.call<string>('istanbul_nodeAddress'),
    rpc.call<string>('eth_blockNumber'),
  ]);
  const [candidates, snapshot, blocks] = await Promise.all([
    rpc.call<Readonly<Record<string, boolean>>>('istanbul_candidates').catch(() => ({})),
    rpc
      .call<{ readonly votes: Voting['votes'] | null }>('istanbul_getSnapshot', 'latest')
      .catch(() => ({ votes: null })),
    blocksFrom(rpc, Number(head), LOOK_BLOCKS),
  ]);
  const made = blocks.filter(({ number }: Block) => Number(number) > 0);
  return { validators, self, candidates, votes: snapshot.votes ?? [], blocks: made };
}

export function Validators() {
  const { texts } = useSpeech();
  const { number } = useHead();
  const answer = useAsk(look, 'validators', number);
  return (
    <>
      <Heading title={texts.validators} />
      <Shown answer={answer}>
        {({ voting, raft }) => (
          <>
            {voting && <ValidatorPanel {...voting} onVoted={answer.again} />}
            {raft && <RaftMembers {...raft} />}
            {!voting && !raft && <Notice>{texts.noConsensusApi}</Notice>}
          </>
        )}
      </Shown>
    </>
  );
}
