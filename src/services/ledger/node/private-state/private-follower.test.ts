/** How a private state that is behind catches up. */
import { expect, it } from 'vitest';
import { type Party, PrivateNetwork, PSI } from '../../../../../test/support/private-parties.ts';
import { setInput } from '../../../../../test/support/store-contract.ts';
import { fromHex } from '../../../../core/base/hex.ts';

it('catches up without leading the public trie back, which ends at 200,000 changes', async () => {
  const network = new PrivateNetwork();
  await network.start();
  const [one, two] = network.parties as [Party, Party];
  const contract = await network.contract(one, [two], 0);
  network.managers.setDown(two.key, true);
  for (const value of [1, 2, 3]) {
    const sent = await one.send({ to: contract, data: fromHex(setInput(value)) }, [two]);
    await network.until(() => one.receipt(sent) !== undefined, 'it is mined');
  }
  const { store } = two.node.chain;
  const trieAt = store.trieAt.bind(store);
  const ledBack: number[] = [];
  store.trieAt = (space, number) => {
    if (space.kind === 'public' && number < store.head()!.number) ledBack.push(number);
    return trieAt(space, number);
  };
  expect(store.cursor({ kind: 'private', psi: PSI })).toBeLessThan(store.head()!.number);
  network.managers.setDown(two.key, false);
  await network.until(() => two.slot(contract) === 3n, 'the private state has caught up');
  expect(ledBack).toEqual([]);
  await network.stop();
});
