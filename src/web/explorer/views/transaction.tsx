/** One transaction and its effects, as far as the selected node may know them. */
import { Details } from '../../ui/content.tsx';
import { Badge, Notice } from '../../ui/status.tsx';
import { decodeCall, decodeError } from '../abi/decode.ts';
import { abiOf } from '../abi/known-contracts.ts';
import { transfersOf } from '../abi/tokens.ts';
import { Shown, useAsk, useAskAgain } from '../node/ask.tsx';
import { blockBy, transactionBy } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import { type Seen, see } from '../node/privacy.ts';
import type { Transaction } from '../node/types.ts';
import { Time, useNumbers } from '../parts/amount.tsx';
import { DecodedCall } from '../parts/decoded.tsx';
import { InternalCalls } from '../parts/internal-calls.tsx';
import { AddressLink, BlockLink, Recipient } from '../parts/links.tsx';
import { LogList } from '../parts/log-list.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { PrivateBadge } from '../parts/transaction-table.tsx';
import { TransferTable } from '../parts/transfer-table.tsx';
import { useSpeech } from '../speech.ts';

export function TransactionView({ hash }: { hash: string }) {
  const { texts } = useSpeech();
  const { number } = useHead();
  const answer = useAsk(async (rpc) => {
    const transaction = await transactionBy(rpc, hash);
    if (!transaction) return { transaction, seen: undefined, timestamp: undefined };
    const [seen, block] = await Promise.all([
      see(rpc, transaction),
      transaction.blockNumber === null
        ? undefined
        : blockBy(rpc, String(Number(transaction.blockNumber))),
    ]);
    return { transaction, seen, timestamp: block?.timestamp };
  }, `transaction ${hash}`);
  // Until it is in a block and its private part was executed, each new block may change it.
  const isOpen = answer.value !== undefined && !answer.value.seen?.receipt;
  useAskAgain(answer.again, isOpen ? number : undefined);
  return (
    <Shown answer={answer}>
      {({ transaction, seen, timestamp }) =>
        transaction && seen ? (
          <Found {...{ transaction, seen, timestamp }} />
        ) : (
          <>
            <Heading title={texts.transaction}>
              <p class="code soft">{hash}</p>
            </Heading>
            <Notice tone="warn">{texts.noSuchTransaction}</Notice>
          </>
        )
      }
    </Shown>
  );
}

function Found({
  transaction,
  seen,
  timestamp,
}: {
  transaction: Transaction;
  seen: Seen;
  timestamp: string | undefined;
}) {
  const { texts } = useSpeech();
  const { whole, ether } = useNumbers();
  const { kind, isParty, inner, input, receipt } = seen;
  const abi = abiOf(inner.to ?? receipt?.contractAddress);
  const call = input === undefined || inner.to === null ? undefined : decodeCall(input, abi);
  const transfers = transfersOf(receipt?.logs ?? []);
  const price = transaction.gasPrice;
  return (
    <>
      <Heading
        title={texts.transaction}
        badges={
          <>
            <Status {...{ transaction, seen }} />
            {kind !== 'public' && <PrivateBadge />}
          </>
        }
      >
        <p class="code soft">{transaction.hash}</p>
      </Heading>
      {kind !== 'public' && (
        <Notice tone={isParty ? 'good' : 'warn'}>{isParty ? texts.party : texts.notParty}</Notice>
      )}
      <Panel>
        <Details
          details={[
            ...(transaction.blockNumber === null
              ? []
              : [
                  {
                    name: texts.block,
                    value: <BlockLink number={Number(transaction.blockNumber)} />,
                  },
                ]),
            ...(timestamp === undefined
              ? []
              : [{ name: texts.time, value: <Time timestamp={timestamp} /> }]),
            { name: texts.from, value: <AddressLink address={inner.from} isWhole /> },
            {
              name: texts.to,
              value:
                inner.to === null ? (
                  <Recipient to={null} />
                ) : (
                  <AddressLink address={inner.to} isWhole />
                ),
            },
            ...(receipt?.contractAddress && isParty
              ? [
                  {
                    name: texts.createdContract,
                    value: <AddressLink address={receipt.contractAddress} isWhole />,
                  },
                ]
              : []),
            ...(call ? [{ name: texts.called, value: <strong>{call.name}</strong> }] : []),
            { name: texts.value, value: ether(inner.value) },
            {
              name: texts.gasUsed,
              value: texts.gasOf(receipt ? whole(receipt.gasUsed) : '–', whole(transaction.gas)),
            },
            ...(price === undefined ? [] : [{ name: texts.gasPrice, value: whole(price) }]),
            { name: texts.nonce, value: whole(transaction.nonce) },
            ...(receipt?.revertReason && isParty
              ? [
                  {
                    name: texts.reason,
                    value: decodeError(receipt.revertReason, abi) ?? (
                      <span class="code">{receipt.revertReason}</span>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </Panel>
      {isParty && input !== undefined && input !== '0x' && (
        <Panel title={inner.to === null ? texts.creationCode : texts.input}>
          {call && <DecodedCall decoded={call} />}
          <pre class="code hex">{input}</pre>
        </Panel>
      )}
      {!isParty && (
        <Panel title={texts.digest}>
          <pre class="code hex">{kind === 'marker' ? transaction.input : inner.input}</pre>
        </Panel>
      )}
      {transfers.length > 0 && (
        <Panel title={texts.transfers}>
          <TransferTable transfers={transfers} />
        </Panel>
      )}
      {receipt && receipt.logs.length > 0 && (
        <Panel title={texts.logCount(receipt.logs.length)}>
          <LogList logs={receipt.logs} transaction={transaction.hash} first={0} />
        </Panel>
      )}
      {isParty && receipt && <InternalCalls hash={transaction.hash} />}
    </>
  );
}

function Status({
  transaction,
  seen: { receipt, isParty, kind },
}: {
  transaction: Transaction;
  seen: Seen;
}) {
  const { texts } = useSpeech();
  if (transaction.blockNumber === null) return <Badge tone="info">{texts.pending}</Badge>;
  // For others than the parties, the receipt of a private transaction says nothing about its
  // success.
  if (!receipt || (kind !== 'public' && !isParty))
    return <Badge tone="none">{texts.inBlock}</Badge>;
  return receipt.status === '0x0' ? (
    <Badge tone="bad">{texts.reverted}</Badge>
  ) : (
    <Badge tone="good">{texts.succeeded}</Badge>
  );
}

/** One event of a transaction, with its own URL. */
export function LogView({ hash, index }: { hash: string; index: number }) {
  const { texts } = useSpeech();
  const answer = useAsk(async (rpc) => {
    const transaction = await transactionBy(rpc, hash);
    const seen = transaction && (await see(rpc, transaction));
    return { log: seen?.receipt?.logs[index] };
  }, `log ${hash} ${index}`);
  return (
    <>
      <Heading title={texts.logNumber(index)} />
      <Shown answer={answer}>
        {({ log }) =>
          log ? (
            <Panel>
              <Details
                details={[
                  { name: texts.block, value: <BlockLink number={Number(log.blockNumber)} /> },
                  { name: texts.contract, value: <AddressLink address={log.address} isWhole /> },
                  { name: texts.inBlockAt, value: Number(log.logIndex) },
                ]}
              />
              <LogList logs={[log]} transaction={hash} first={index} isWhole />
            </Panel>
          ) : (
            <Notice tone="warn">{texts.noSuchLog}</Notice>
          )
        }
      </Shown>
    </>
  );
}
