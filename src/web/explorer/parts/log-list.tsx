/** Events of contracts, decoded if their ABI is known; each links to its own page. */

import { decodeLog } from '../abi/decode.ts';
import { abiOf } from '../abi/known-contracts.ts';
import type { Log } from '../node/types.ts';
import { Link } from '../router.tsx';
import { useSpeech } from '../speech.ts';
import { DecodedCall } from './decoded.tsx';
import { AddressLink, TransactionLink } from './links.tsx';

const SHOWN_MAX = 100;

export function LogList({
  logs,
  transaction,
  first,
  isWhole = false,
}: {
  logs: readonly Log[];
  /** The transaction's hash. */
  transaction: string;
  /** The index of the first event in the transaction; undefined: not known. */
  first?: number | undefined;
  /** Shows topics and data, even if they are decoded. */
  isWhole?: boolean;
}) {
  const { texts } = useSpeech();
  return (
    <ol class="entries">
      {logs.slice(0, SHOWN_MAX).map((log, at) => {
        const decoded = decodeLog(log, abiOf(log.address));
        return (
          <li key={at} class="stack-close entry">
            <p class="small soft">
              {first === undefined ? (
                <TransactionLink hash={transaction} />
              ) : (
                <Link to={`/tx/${transaction}/log/${first + at}`}>
                  {texts.logNumber(first + at)}
                </Link>
              )}
              {' · '}
              <AddressLink address={log.address} />
            </p>
            {decoded && <DecodedCall decoded={decoded} />}
            {(isWhole || !decoded) && <Raw log={log} />}
          </li>
        );
      })}
      {logs.length > SHOWN_MAX && <li class="small soft">{texts.more(logs.length - SHOWN_MAX)}</li>}
    </ol>
  );
}

function Raw({ log: { topics, data } }: { log: Log }) {
  const { texts } = useSpeech();
  return (
    <dl class="details">
      {topics.map((topic, at) => (
        <div key={at} class="details-row">
          <dt>{texts.topic(at)}</dt>
          <dd class="code">{topic}</dd>
        </div>
      ))}
      <div class="details-row">
        <dt>{texts.data}</dt>
        <dd class="code">{data}</dd>
      </div>
    </dl>
  );
}
