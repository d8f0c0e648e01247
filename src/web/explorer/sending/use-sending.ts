/** One transaction to send: its progress, its hash, or why it was refused. */
import { useState } from 'preact/hooks';
import { RpcFault } from '../node/rpc.ts';

export interface Sending {
  readonly isBusy: boolean;
  readonly hash: string | undefined;
  readonly fault: RpcFault | undefined;
  start(work: () => Promise<string>): Promise<string | undefined>;
}

export function useSending(): Sending {
  const [state, setState] = useState<Omit<Sending, 'start'>>({
    ...{ isBusy: false, hash: undefined, fault: undefined },
  });
  return {
    ...state,
    async start(work) {
      setState({ isBusy: true, hash: undefined, fault: undefined });
      try {
        const hash = await work();
        setState({ isBusy: false, hash, fault: undefined });
        return hash;
      } catch (error) {
        const fault = error instanceof RpcFault ? error : new RpcFault((error as Error).message);
        setState({ isBusy: false, hash: undefined, fault });
        return undefined;
      }
    },
  };
}
