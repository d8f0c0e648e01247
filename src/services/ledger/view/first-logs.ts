/**
 * By transaction, the position in the block of its first log. Logs that privacy markers hide count
 * for later hidden ones only, so that the others have the same position on every node (GoQuorum
 * core/types/receipt.go, DeriveFields).
 */
export function firstLogs(
  transactions: readonly { readonly count: number; readonly isHidden: boolean }[],
): number[] {
  let [shown, all] = [0, 0];
  return transactions.map(({ count, isHidden }) => {
    const first = isHidden ? all : shown;
    all += count;
    if (!isHidden) shown += count;
    return first;
  });
}
