/** Validators of QBFT and IBFT, and this node's votes on them. */
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge, Notice } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useConnection } from '../node/connection.tsx';
import type { RpcFault } from '../node/rpc.ts';
import type { Block } from '../node/types.ts';
import { useNumbers } from '../parts/amount.tsx';
import { AddressLink } from '../parts/links.tsx';
import { Panel } from '../parts/panel.tsx';
import { Tiles } from '../parts/tiles.tsx';
import { useSpeech } from '../speech.ts';
import { turnsOf } from './turns.ts';

export interface Voting {
  readonly validators: readonly string[];
  /** This node's address. */
  readonly self: string;
  /** Votes that this node casts with its next blocks: true is for, false against. */
  readonly candidates: Readonly<Record<string, boolean>>;
  /** Votes in blocks that are not decided yet. */
  readonly votes: readonly {
    readonly validator: string;
    readonly block: number;
    readonly address: string;
    readonly authorize: boolean;
  }[];
  /** The latest blocks, the newest first. */
  readonly blocks: readonly Block[];
}

export function ValidatorPanel({
  validators,
  self,
  candidates,
  votes,
  blocks,
  onVoted,
}: Voting & { onVoted: () => void }) {
  const { texts } = useSpeech();
  const { whole } = useNumbers();
  const turns = turnsOf(blocks, validators);
  const needed = Math.floor(validators.length / 2) + 1;
  const rows = validators.map((address) => ({
    ...{ address, made: turns.made.get(address) ?? 0, missed: turns.missed.get(address) ?? 0 },
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      head: texts.validator,
      cell: ({ address }) => (
        <>
          <AddressLink address={address} />{' '}
          {address === self && <Badge tone="info">{texts.thisNode}</Badge>}
        </>
      ),
    },
    { head: texts.madeBlocks(blocks.length), isNumber: true, cell: ({ made }) => whole(made) },
    {
      head: texts.missedTurns,
      isNumber: true,
      cell: ({ missed }) => (missed === 0 ? '0' : <Badge tone="warn">{whole(missed)}</Badge>),
    },
    {
      head: texts.vote,
      cell: ({ address }) => <VoteButton {...{ address, onVoted, candidates }} />,
    },
  ];
  return (
    <>
      <Tiles
        tiles={[
          { name: texts.validators, value: whole(validators.length) },
          { name: texts.votesNeeded, value: whole(needed) },
          { name: texts.lateBlocks(blocks.length), value: whole(turns.late) },
        ]}
      />
      <Panel>
        <Table
          {...{ columns, rows }}
          label={texts.validators}
          keyOf={({ address }) => address}
          empty=""
        />
      </Panel>
      <Panel title={texts.openVotes}>
        <Votes {...{ votes, needed }} />
      </Panel>
      <Panel title={texts.ownVotes}>
        <OwnVotes {...{ candidates, onVoted }} />
        <NewVote {...{ onVoted, validators }} />
      </Panel>
    </>
  );
}

function Votes({ votes, needed }: Pick<Voting, 'votes'> & { needed: number }) {
  const { texts } = useSpeech();
  const about = [...new Set(votes.map(({ address, authorize }) => `${address} ${authorize}`))];
  const rows = about.map((key) => {
    const [address = '', authorize] = key.split(' ');
    const cast = votes.filter(
      (vote) => vote.address === address && String(vote.authorize) === authorize,
    );
    return {
      key,
      address,
      isFor: authorize === 'true',
      voters: cast.map(({ validator }) => validator),
    };
  });
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { head: texts.about, cell: ({ address }) => <AddressLink address={address} /> },
    { head: texts.vote, cell: ({ isFor }) => (isFor ? texts.toAdd : texts.toRemove) },
    { head: texts.cast, isNumber: true, cell: ({ voters }) => `${voters.length} / ${needed}` },
    {
      head: texts.by,
      cell: ({ voters }) => (
        <ul class="inline-list">
          {voters.map((each) => (
            <li key={each}>
              <AddressLink address={each} />
            </li>
          ))}
        </ul>
      ),
    },
  ];
  return (
    <Table
      {...{ columns, rows }}
      label={texts.openVotes}
      keyOf={({ key }) => key}
      empty={texts.noVotes}
    />
  );
}

function OwnVotes({ candidates, onVoted }: Pick<Voting, 'candidates'> & { onVoted: () => void }) {
  const { texts } = useSpeech();
  const { rpc } = useConnection();
  const [fault, setFault] = useState<RpcFault>();
  const entries = Object.entries(candidates);
  if (entries.length === 0) return <p class="soft">{texts.noOwnVotes}</p>;
  return (
    <ul class="entries">
      {entries.map(([address, isFor]) => (
        <li key={address} class="panel-head">
          <span>
            {isFor ? texts.toAdd : texts.toRemove} <AddressLink address={address} />
          </span>
          <Button
            small
            onClick={() => void rpc.call('istanbul_discard', address).then(onVoted, setFault)}
          >
            {texts.discard}
          </Button>
        </li>
      ))}
      {fault && <Notice tone="bad">{fault.message}</Notice>}
    </ul>
  );
}

function NewVote({ onVoted, validators }: { onVoted: () => void; validators: readonly string[] }) {
  const { texts } = useSpeech();
  const { rpc } = useConnection();
  const [address, setAddress] = useState('');
  const [fault, setFault] = useState<string>();
  const vote = () => {
    const given = address.trim();
    if (!/^0x[0-9a-fA-F]{40}$/.test(given)) return setFault(texts.valueFault('address'));
    if (validators.includes(given.toLowerCase())) return setFault(texts.isValidator);
    setFault(undefined);
    rpc.call('istanbul_propose', given, true).then(
      () => {
        setAddress('');
        onVoted();
      },
      ({ message }: RpcFault) => setFault(message),
    );
  };
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        vote();
      }}
    >
      <TextField
        label={texts.newValidator}
        hint={texts.newValidatorHint}
        name="candidate"
        value={address}
        fault={fault}
        onInput={setAddress}
      />
      <Button type="submit">{texts.voteIn}</Button>
    </form>
  );
}

function VoteButton({
  address,
  candidates,
  onVoted,
}: {
  address: string;
  candidates: Voting['candidates'];
  onVoted: () => void;
}) {
  const { rpc } = useConnection();
  const { texts } = useSpeech();
  const [fault, setFault] = useState<RpcFault>();
  const [isAsking, setAsking] = useState(false);
  if (candidates[address] === false) return <Badge tone="warn">{texts.voted}</Badge>;
  const vote = () => {
    setAsking(false);
    void rpc.call('istanbul_propose', address, false).then(onVoted, setFault);
  };
  return (
    <>
      <Button look="danger" small onClick={() => setAsking(true)}>
        {texts.voteOut}
      </Button>
      {isAsking && (
        <Dialog
          title={texts.voteOutTitle}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>{texts.cancel}</Button>
              <Button look="danger" onClick={vote}>
                {texts.voteOut}
              </Button>
            </>
          }
        >
          <p class="code">{address}</p>
          <p>{texts.voteOutBody}</p>
        </Dialog>
      )}
      {fault && <span class="small"> {fault.message}</span>}
    </>
  );
}
