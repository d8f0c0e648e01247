/** The state of a sent transaction: refused, pending, successful or reverted. */
import type { Abi } from 'viem';
import { Notice, Spinner } from '../../ui/status.tsx';
import { decodeError } from '../abi/decode.ts';
import { useAsk } from '../node/ask.tsx';
import { receiptOf } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import type { RpcFault } from '../node/rpc.ts';
import { AddressLink, TransactionLink } from '../parts/links.tsx';
import { useSpeech } from '../speech.ts';

export function Outcome({ hash }: { hash: string }) {
  const { texts } = useSpeech();
  const { number } = useHead();
  const { value: receipt } = useAsk((rpc) => receiptOf(rpc, hash), `receipt ${hash}`, number);
  if (!receipt)
    return (
      <div class="notice notice-info" role="status">
        <Spinner />
        <div>
          {texts.sent} <TransactionLink hash={hash} />
        </div>
      </div>
    );
  const isDone = receipt.status !== '0x0';
  return (
    <Notice tone={isDone ? 'good' : 'bad'} alert>
      {isDone ? texts.done : texts.reverted} <TransactionLink hash={hash} />
      {receipt.contractAddress && isDone && (
        <>
          {' · '}
          {texts.createdContract} <AddressLink address={receipt.contractAddress} />
        </>
      )}
    </Notice>
  );
}

export function Refused({ fault, abi }: { fault: RpcFault; abi?: Abi | undefined }) {
  const { texts } = useSpeech();
  const reason = decodeError(fault.data, abi);
  return (
    <Notice tone="bad" alert>
      {texts.refused} {fault.message}
      {reason !== undefined && !fault.message.includes(reason) && ` – ${reason}`}
    </Notice>
  );
}
