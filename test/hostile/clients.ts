/** Clients that ask one thing after the other, without end. */

/** `count` clients; each asks, whatever comes back, until it is over. How many answers came. */
export async function askOnAndOn(
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
