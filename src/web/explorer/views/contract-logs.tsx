/** Recent events of a contract; for a token, its transfers. */
import { transfersOf } from '../abi/tokens.ts';
import { Shown, useAsk } from '../node/ask.tsx';
import { quantity } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import { firstRecent, RECENT_BLOCKS } from '../node/recent-blocks.ts';
import type { Log } from '../node/types.ts';
import { LogList } from '../parts/log-list.tsx';
import { TransferTable } from '../parts/transfer-table.tsx';
import { useSpeech } from '../speech.ts';

const SHOWN_MAX = 50;

export function ContractLogs({ address, isToken }: { address: string; isToken: boolean }) {
  const { texts } = useSpeech();
  const { number } = useHead();
  const answer = useAsk(
    async (rpc) => {
      const fromBlock = quantity(await firstRecent(rpc, number));
      const logs = await rpc.call<readonly Log[]>('eth_getLogs', { address, fromBlock });
      return [...logs].reverse().slice(0, SHOWN_MAX);
    },
    `logs of ${address}`,
    number,
  );
  return (
    <Shown answer={answer}>
      {(logs) =>
        logs.length === 0 ? (
          <p class="empty">{texts.noEvents(RECENT_BLOCKS)}</p>
        ) : (
          <>
            {isToken && <TransferTable transfers={transfersOf(logs)} hasTransaction />}
            {!isToken &&
              logs.map((log) => (
                <LogList
                  key={`${log.transactionHash} ${log.logIndex}`}
                  logs={[log]}
                  transaction={log.transactionHash}
                />
              ))}
          </>
        )
      }
    </Shown>
  );
}
