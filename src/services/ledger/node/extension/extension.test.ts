/** Extensions in networks of in-memory nodes, from the first call to the state at the new party. */
import { afterEach, describe, expect, it } from 'vitest';
import { memoryKey } from '../../../../../test/support/memory-managers.ts';
import {
  hasVoted,
  type Party,
  PrivateNetwork,
  PSI,
  QUORUM,
} from '../../../../../test/support/private-parties.ts';
import { setInput } from '../../../../../test/support/store-contract.ts';
import { type Address, keyOf } from '../../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';

const isDone = (party: Party, manager: Address) => () => party.requests.isFinished(PSI, manager);

let network: PrivateNetwork;
afterEach(() => network.stop());

describe('an extension', () => {
  it.each([0, 1, 2, 3] as const)(
    'takes the state of a contract with flag %i to a new party',
    async (flag) => {
      network = new PrivateNetwork();
      await network.start();
      const [one, two, three, four] = network.parties as [Party, Party, Party, Party];
      const contract = await network.contract(one, [two], flag);
      const before = one.metadata(contract)?.creationHash;
      const manager = await network.extend(one, three, contract);
      expect((await one.requests.active(PSI)).map((each) => toHex(each.manager))).toEqual([
        toHex(manager),
      ]);
      expect(await three.requests.active(PSI)).toEqual(await one.requests.active(PSI));
      expect(await four.requests.active(PSI)).toEqual([]);
      expect((await two.requests.active(PSI)).length).toBe(flag === 0 ? 0 : 1);
      const voters = flag === 0 ? [one] : [one, two];
      await three.requests.vote(QUORUM, manager, true, three.args({}, voters));
      await network.until(() => three.slot(contract) === 42n, 'the new party has the contract');
      await network.until(isDone(one, manager), 'the extension has ended');
      expect(await one.requests.active(PSI)).toEqual([]);
      expect(await three.requests.active(PSI)).toEqual([]);
      expect(four.slot(contract)).toBeUndefined();
      expect(three.metadata(contract)?.flag).toBe(flag === 0 ? undefined : flag);
      if (flag === 0) return;
      await network.until(isDone(two, manager), 'the extension has ended at the other party');
      const now = [one, two, three].map((each) => toHex(each.metadata(contract)!.creationHash));
      expect(new Set(now).size).toBe(1);
      expect(now[0]).not.toBe(toHex(before!));
    },
  );

  it.each([1, 3] as const)(
    'of a contract with flag %i is standard private, whatever was asked for',
    async (flag) => {
      network = new PrivateNetwork();
      await network.start();
      const [one, two, three] = network.parties as [Party, Party, Party];
      const contract = await network.contract(one, [two], flag);
      const terms = { toExtend: contract, recipient: three.account, recipientKey: three.key };
      const sentBefore = one.sent.length;
      const hash = await one.requests.extend(QUORUM, terms, one.args({}, [three], flag));
      await network.until(
        () => [one, two, three].every((each) => each.receipt(hash)),
        'all parties and the new one have the management contract',
      );
      const manager = one.receipt(hash)!.contractAddress!;
      expect([one, two, three].map((each) => each.metadata(manager))).toEqual(
        Array(3).fill(undefined),
      );
      await three.requests.vote(QUORUM, manager, true, three.args({}, [one, two], flag));
      await network.until(isDone(two, manager), 'the extension has ended');
      // Only the state itself is sent with the contract's own flag, everything else without one.
      const flags = [...one.sent.slice(sentBefore), ...three.sent].map((each) => each.flag);
      expect(flags.filter((each) => each !== 0)).toEqual([flag]);
    },
  );

  it('COMPAT: of a standard private contract is unknown to its other parties, who do not know the new one', async () => {
    network = new PrivateNetwork();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [two], 0);
    const manager = await network.extend(one, three, contract);
    await three.requests.vote(QUORUM, manager, true, three.args({}, [one]));
    await network.until(() => three.slot(contract) === 42n, 'the new party has the contract');
    expect(await two.requests.active(PSI)).toEqual([]);
    expect(() => two.requests.management(PSI, manager)).toThrow(
      'no contract code at given address',
    );
    const set = { to: contract, data: fromHex(setInput(43)) };
    const hash = await two.send(set, [one]);
    await network.until(() => one.slot(contract) === 43n, 'the old parties continue');
    await network.until(() => three.receipt(hash) !== undefined, 'the new party has the block');
    expect(three.slot(contract)).toBe(42n);
  });

  it('tells the parties of the contract by itself, each key once; the caller may name the new one only', async () => {
    network = new PrivateNetwork();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [two], 1);
    const extend = (to: Party, privateFor: readonly Party[]) =>
      one.requests.extend(
        QUORUM,
        { toExtend: contract, recipient: to.account, recipientKey: to.key },
        one.args({}, privateFor),
      );
    await expect(extend(three, [three, two])).rejects.toThrow(
      'invalid transaction manager keys given in privateFor argument',
    );
    await expect(extend(three, [two])).rejects.toThrow(
      'mismatch between recipient transaction manager key and privateFor argument',
    );
    // A key that is already a party is in both lists, but is sent to only once.
    await extend(two, []);
    expect([...one.sent.at(-1)!.to].sort()).toEqual([one.key, two.key].sort());
  });

  it('that is cancelled or refused shares nothing', async () => {
    network = new PrivateNetwork();
    await network.start(4);
    const [one, two] = network.parties as [Party, Party];
    const contract = await network.contract(one, [], 0);
    const cancelled = await network.extend(one, two, contract);
    await one.requests.cancel(QUORUM, cancelled, one.args({}, [two]));
    await network.until(isDone(two, cancelled), 'cancelled');
    const refused = await network.extend(one, two, contract);
    await two.requests.vote(QUORUM, refused, false, two.args({}, [one]));
    await network.until(isDone(one, refused), 'refused');
    expect(await one.requests.active(PSI)).toEqual([]);
    expect(two.slot(contract)).toBeUndefined();
  });

  it('continues after the initiator was locked, its manager down, and its process ended', async () => {
    network = new PrivateNetwork();
    await network.start();
    const [one, two] = network.parties as [Party, Party];
    const contract = await network.contract(one, [], 0);
    const manager = await network.extend(one, two, contract);
    one.isLocked = true;
    network.managers.setDown(one.key, true);
    await two.requests.vote(QUORUM, manager, true, two.args({}, [one]));
    await network.until(() => two.requests.management(PSI, manager).isAccepted, 'all have voted');
    await network.time.pass(5_000);
    expect(isDone(two, manager)()).toBe(false);
    await one.extensions.agent.stop();
    await one.node.kill();
    network.managers.setDown(one.key, false);
    network.parties[0] = await network.party(0, one.node.disk);
    await network.until(() => two.slot(contract) === 42n, 'the new party has the contract');
    expect(await network.parties[0].requests.active(PSI)).toEqual([]);
  });
});

describe.each(['quorum', 'ledger'] as const)(
  'on a permissioned network, by the rules of %s',
  (rules) => {
    it('only administrators begin an extension, receive it and vote for it', async () => {
      network = new PrivateNetwork();
      await network.start(3);
      const [one, two, three] = network.parties as [Party, Party, Party];
      const caller = { psi: PSI, rules };
      const contract = await network.contract(one, [], 0);
      const sentBefore = one.sent.length;
      const extend = (to: Party) => {
        const terms = { toExtend: contract, recipient: to.account, recipientKey: to.key };
        return one.requests.extend(caller, terms, one.args({}, [to]));
      };
      one.powerless.add(keyOf(one.account));
      await expect(extend(two)).rejects.toThrow(
        /^account not an org admin account, cannot initiate extension$/,
      );
      one.powerless.delete(keyOf(one.account));
      one.powerless.add(keyOf(three.account));
      await expect(extend(three)).rejects.toThrow(
        /^recipient account address is not an org admin account. cannot accept extension$/,
      );
      // Nothing about the contract was sent to the other party.
      expect(one.sent.length).toBe(sentBefore);
      const manager = await network.extend(one, two, contract);
      two.powerless.add(keyOf(two.account));
      const vote = () => two.requests.vote(caller, manager, true, two.args({}, [one]));
      await expect(vote()).rejects.toThrow(/^account cannot accept extension$/);
      expect(two.sent).toEqual([]);
      two.powerless.clear();
      await vote();
      await network.until(() => two.slot(contract) === 42n, 'the new party has the contract');
    });
  },
);

describe('the rules of ledgerExtension_*', () => {
  const LEDGER = { psi: PSI, rules: 'ledger' } as const;

  it('let only the creator of a standard private contract extend it', async () => {
    network = new PrivateNetwork();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [two], 0);
    const terms = { toExtend: contract, recipient: three.account, recipientKey: three.key };
    await expect(two.requests.extend(LEDGER, terms, two.args({}, [three]))).rejects.toThrow(
      'operation not allowed',
    );
    await expect(
      two.requests.extend(
        QUORUM,
        { ...terms, recipientKey: memoryKey(99) },
        two.args({ private: undefined }, []),
      ),
    ).rejects.toThrow('404 status: Recipient not found for key');
    await one.requests.extend(LEDGER, terms, one.args({}, [three]));
  });

  it('answer a second request at once, before the first is in a block', async () => {
    network = new PrivateNetwork();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [], 0);
    const terms = { toExtend: contract, recipient: two.account, recipientKey: two.key };
    const ask = () => one.requests.extend(LEDGER, terms, one.args({}, [two]));
    const twice = await Promise.allSettled([ask(), ask()]);
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(ask()).rejects.toThrow('contract extension in progress');
    const other = { ...terms, recipient: three.account, recipientKey: three.key };
    await expect(one.requests.extend(QUORUM, other, one.args({}, [three]))).rejects.toThrow(
      'contract extension in progress',
    );
    const made = twice.find((each) => each.status === 'fulfilled')!.value;
    await network.until(() => two.receipt(made) !== undefined, 'the extension has begun');
    const manager = two.receipt(made)!.contractAddress!;
    const vote = (rules: typeof LEDGER | typeof QUORUM) =>
      two.requests.vote(rules, manager, true, two.args({}, [one]));
    await expect(two.requests.vote(LEDGER, manager, true, two.args({}, [three]))).rejects.toThrow(
      `privateFor must contain the transaction manager key of the node that initiated the extension: ${one.key}`,
    );
    await vote(LEDGER);
    await expect(vote(LEDGER)).rejects.toThrow('process complete. nothing to accept');
    await expect(vote(QUORUM)).rejects.toThrow('already voted');
    await network.until(() => two.slot(contract) === 42n, 'the new party has the contract');
  });

  it('say who may act before they ask for their wallet', async () => {
    network = new PrivateNetwork();
    await network.start();
    const [one, two] = network.parties as [Party, Party];
    const contract = await network.contract(one, [], 0);
    const manager = await network.extend(one, two, contract);
    const from = new Uint8Array(20).fill(0xaa);
    const vote = (rules: typeof LEDGER | typeof QUORUM) =>
      two.requests.vote(rules, manager, true, two.args({ from }, [one]));
    const cancel = (rules: typeof LEDGER | typeof QUORUM) =>
      two.requests.cancel(rules, manager, two.args({ from }, [one]));
    await expect(vote(LEDGER)).rejects.toThrow('account is not acceptor of this extension request');
    await expect(cancel(LEDGER)).rejects.toThrow('account is not the creator of this extension');
    await expect(vote(QUORUM)).rejects.toThrow('no wallet found for account 0xaAaAaAaaAaAaAaaA');
    await expect(cancel(QUORUM)).rejects.toThrow('no wallet found for account');
  });

  it('let a recipient vote once, and nobody else', async () => {
    network = new PrivateNetwork();
    await network.start();
    const [one, two, three] = network.parties as [Party, Party, Party];
    const contract = await network.contract(one, [], 0);
    const manager = await network.extend(one, two, contract);
    const vote = (who: Party, rules: typeof LEDGER | typeof QUORUM) =>
      who.requests.vote(rules, manager, true, who.args({}, [one]));
    await expect(vote(one, LEDGER)).rejects.toThrow('account is not acceptor');
    await expect(vote(one, QUORUM)).rejects.toThrow('already voted');
    await expect(vote(three, LEDGER)).rejects.toThrow('no contract code at given address');
    network.managers.setDown(one.key, true);
    await vote(two, LEDGER);
    await network.until(() => hasVoted(two, manager, two.account), 'the recipient has voted');
    await expect(vote(two, LEDGER)).rejects.toThrow('process complete. nothing to accept');
    await expect(vote(two, QUORUM)).rejects.toThrow('already voted');
  });
});
