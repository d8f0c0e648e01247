/** A contract with its ABI: functions to read, and functions to send. */

import { useState } from 'preact/hooks';
import type { Abi, AbiFunction } from 'viem';
import { Button } from '../../ui/button.tsx';
import { abiOf, forgetAbi, keepAbi } from '../abi/known-contracts.ts';
import { abiOfToken } from '../abi/standards.ts';
import type { Token } from '../abi/tokens.ts';
import { AbiField } from '../parts/abi-field.tsx';
import { PrivacyField, PUBLIC } from '../sending/privacy-field.tsx';
import { SenderField } from '../sending/sender-field.tsx';
import { useSenders } from '../sending/senders.ts';
import { useSpeech } from '../speech.ts';
import { ReadForm, WriteForm } from './function-form.tsx';

const isView = ({ stateMutability }: AbiFunction) => /^(?:view|pure)$/.test(stateMutability ?? '');

export function ContractPanel({ address, token }: { address: string; token: Token | undefined }) {
  const { texts } = useSpeech();
  const [abi, setAbi] = useState(() => abiOf(address) ?? (token && abiOfToken(token.kind)));
  if (!abi)
    return (
      <>
        <p>{texts.abiNeeded}</p>
        <AbiField
          onRead={(artifact) => {
            keepAbi(address, artifact);
            setAbi(artifact.abi);
          }}
        />
      </>
    );
  return (
    <>
      <Functions {...{ address, abi }} />
      <div class="actions">
        <Button
          small
          onClick={() => {
            forgetAbi(address);
            setAbi(undefined);
          }}
        >
          {texts.otherAbi}
        </Button>
      </div>
    </>
  );
}

function Functions({ address, abi }: { address: string; abi: Abi }) {
  const { texts } = useSpeech();
  const senders = useSenders();
  const [chosen, choose] = useState('');
  const [privacy, setPrivacy] = useState(PUBLIC);
  const functions = abi.filter((item): item is AbiFunction => item.type === 'function');
  const reading = functions.filter(isView);
  const writing = functions.filter((each) => !isView(each));
  const sender = senders.list.find(({ id }) => id === chosen) ?? senders.list[0];
  const key = ({ name, inputs }: AbiFunction) => `${name} ${inputs.map(({ type }) => type).join()}`;
  return (
    <>
      <h3>{texts.read}</h3>
      {reading.length === 0 && <p class="soft">{texts.nothingToRead}</p>}
      <div class="entries">
        {reading.map((item) => (
          <ReadForm key={key(item)} {...{ address, abi, item }} />
        ))}
      </div>
      <h3>{texts.write}</h3>
      {writing.length === 0 ? (
        <p class="soft">{texts.nothingToWrite}</p>
      ) : (
        <>
          <SenderField {...{ senders }} value={sender?.id ?? ''} onInput={choose} />
          <PrivacyField value={privacy} onInput={setPrivacy} />
          <div class="entries">
            {writing.map((item) => (
              <WriteForm key={key(item)} {...{ address, abi, item, sender, privacy }} />
            ))}
          </div>
        </>
      )}
    </>
  );
}
