/** Clients that send one request after the other, without a pause. */

/**
 * `count` clients send requests until it is over, whatever the answers are. Resolves with the
 * number of answers.
 */
export async function requestUntil(
  count: number,
  isOver: () => boolean,
  ask: (client: number) => Promise<unknown>,
): Promise<number> {
  let answers = 0;
  const client = async (_: unknown, at: number) => {
    while (!isOver()) {
      await ask(at).catch(() => undefined);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: count }, client));
  return answers;
}
