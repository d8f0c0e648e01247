/** The transaction that is traced. */
import type { Rules } from '../../../../core/chain/rules.ts';
import type { TransactionFields } from '../../../../core/chain/transaction.ts';
import type { World } from '../../../../core/state/world.ts';

/** The transaction and its block, known before it runs. */
export interface Traced {
  readonly world: World;
  readonly rules: Rules;
  readonly coinbase: Uint8Array;
  /** The number of the block. */
  readonly number: number;
  readonly shouldStop: () => boolean;
  readonly message: Pick<
    TransactionFields,
    'to' | 'data' | 'accessList' | 'gasLimit' | 'gasPrice'
  > & { readonly sender: Uint8Array };
}
