/** An account or a contract: balance, history and actions. */
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Copyable, Details } from '../../ui/content.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge, Notice } from '../../ui/status.tsx';
import { keepName, nameOf } from '../abi/known-contracts.ts';
import { type Token, tokenAt } from '../abi/tokens.ts';
import { Shown, useAsk } from '../node/ask.tsx';
import { useHead } from '../node/connection.tsx';
import type { Rpc } from '../node/rpc.ts';
import { useNumbers } from '../parts/amount.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useSpeech } from '../speech.ts';
import { AccountTokens } from './account-tokens.tsx';
import { AccountTransactions, hasHistory } from './account-transactions.tsx';
import { ContractPanel } from './contract.tsx';
import { ContractLogs } from './contract-logs.tsx';

interface Account {
  readonly balance: string;
  readonly nonce: string;
  readonly code: string;
  /** For a contract whose parties are recorded. */
  readonly privacy: PrivacyMetadata | undefined;
  readonly token: Token | undefined;
  /** Whether the node knows its transactions. */
  readonly hasHistory: boolean;
}

interface PrivacyMetadata {
  readonly privacyFlag: number;
}

async function look(rpc: Rpc, address: string): Promise<Account> {
  const [balance, nonce, code, isKnown] = await Promise.all([
    rpc.call<string>('eth_getBalance', address, 'latest'),
    rpc.call<string>('eth_getTransactionCount', address, 'latest'),
    rpc.call<string>('eth_getCode', address, 'latest'),
    hasHistory(rpc, address),
  ]);
  const known = { balance, nonce, code, hasHistory: isKnown };
  if (code === '0x') return { ...known, privacy: undefined, token: undefined };
  const [privacy, token] = await Promise.all([
    rpc.call<PrivacyMetadata>('eth_getContractPrivacyMetadata', address).catch(() => undefined),
    tokenAt(rpc, address),
  ]);
  return { ...known, privacy: privacy ?? undefined, token };
}

export function AddressView({ address }: { address: string }) {
  const { texts } = useSpeech();
  const { number } = useHead();
  const [, setNamed] = useState(0);
  const answer = useAsk((rpc) => look(rpc, address), `account ${address}`, number);
  const isContract = (answer.value?.code ?? '0x') !== '0x';
  const name = nameOf(address);
  return (
    <>
      <Heading
        title={name ?? (isContract ? texts.contract : texts.account)}
        badges={
          <>
            {isContract && <Badge tone="info">{texts.contract}</Badge>}
            {answer.value?.token && <Badge tone="good">{answer.value.token.kind}</Badge>}
            {answer.value?.privacy && <Badge tone="warn">{texts.private}</Badge>}
          </>
        }
      >
        <Copyable label={texts.address} value={address} texts={texts} />
      </Heading>
      <Panel>
        <Shown answer={answer}>{(account) => <Summary {...{ account }} />}</Shown>
        <NameForm key={address} address={address} onNamed={() => setNamed(Date.now())} />
      </Panel>
      {answer.value && <Parts key={address} {...{ address }} account={answer.value} />}
    </>
  );
}

function Summary({ account: { balance, nonce, code, privacy, token } }: { account: Account }) {
  const { texts } = useSpeech();
  const { ether, whole, units } = useNumbers();
  const isUnused = BigInt(balance) === 0n && Number(nonce) === 0 && code === '0x';
  return (
    <>
      {isUnused && <Notice>{texts.unusedAddress}</Notice>}
      <Details
        details={[
          { name: texts.balance, value: ether(balance) },
          { name: texts.nonce, value: whole(nonce) },
          ...(code === '0x'
            ? []
            : [{ name: texts.codeSize, value: texts.bytes(whole((code.length - 2) / 2)) }]),
          ...(token
            ? [
                ...(token.name === '' && token.symbol === ''
                  ? []
                  : [{ name: texts.token, value: `${token.name} (${token.symbol})` }]),
                ...(token.supply === undefined
                  ? []
                  : [{ name: texts.supply, value: units(token.supply, token.decimals) }]),
              ]
            : []),
          ...(privacy
            ? [
                {
                  name: texts.privacyFlag,
                  value: texts.privacyFlags[privacy.privacyFlag] ?? privacy.privacyFlag,
                },
              ]
            : []),
        ]}
      />
    </>
  );
}

function NameForm({ address, onNamed }: { address: string; onNamed: () => void }) {
  const { texts } = useSpeech();
  const [name, setName] = useState(() => nameOf(address) ?? '');
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        keepName(address, name);
        onNamed();
      }}
    >
      <TextField
        label={texts.ownName}
        hint={texts.ownNameHint}
        name="name"
        value={name}
        onInput={setName}
      />
      <Button type="submit">{texts.save}</Button>
    </form>
  );
}

function Parts({ address, account }: { address: string; account: Account }) {
  const { texts } = useSpeech();
  const isContract = account.code !== '0x';
  return (
    <Tabs
      label={texts.parts}
      tabs={[
        ...(isContract
          ? [
              {
                id: 'contract',
                name: texts.contract,
                content: () => <ContractPanel {...{ address }} token={account.token} />,
              },
              {
                id: 'events',
                name: texts.events,
                content: () => (
                  <ContractLogs {...{ address }} isToken={account.token !== undefined} />
                ),
              },
            ]
          : []),
        ...(account.hasHistory
          ? [
              {
                id: 'transactions',
                name: texts.transactions,
                content: () => <AccountTransactions {...{ address }} />,
              },
            ]
          : []),
        { id: 'tokens', name: texts.tokens, content: () => <AccountTokens {...{ address }} /> },
        ...(isContract
          ? [
              {
                id: 'code',
                name: texts.code,
                content: () => <pre class="code hex">{account.code}</pre>,
              },
            ]
          : []),
      ]}
    />
  );
}
