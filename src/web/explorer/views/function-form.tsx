/**
 * A form for one function of a contract: takes the parameters, then calls it or sends a
 * transaction.
 */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  type Abi,
  type AbiFunction,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from 'viem';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { showValue } from '../abi/values.ts';
import { useConnection } from '../node/connection.tsx';
import { RpcFault } from '../node/rpc.ts';
import { InputFields, useInputs } from '../parts/input-fields.tsx';
import { Outcome, Refused } from '../sending/outcome.tsx';
import { isWellFormed, type Privacy, privateMembers } from '../sending/privacy-field.tsx';
import type { Sender } from '../sending/senders.ts';
import { useSending } from '../sending/use-sending.ts';
import { useSpeech } from '../speech.ts';

interface FormProps {
  readonly address: string;
  readonly abi: Abi;
  readonly item: AbiFunction;
}

export function ReadForm({ address, abi, item }: FormProps) {
  const { texts } = useSpeech();
  const { rpc } = useConnection();
  const inputs = useInputs(item.inputs);
  const [answer, setAnswer] = useState<string>();
  const [fault, setFault] = useState<RpcFault>();
  const ask = async () => {
    const values = inputs.read();
    if (!values) return;
    setFault(undefined);
    setAnswer(undefined);
    try {
      const data = encodeFunctionData({ abi: [item], functionName: item.name, args: values });
      const result = await rpc.call<Hex>('eth_call', { to: address, data }, 'latest');
      const call = { abi: [item], functionName: item.name, data: result } as const;
      setAnswer(result === '0x' ? texts.noAnswer : showValue(decodeFunctionResult(call)));
    } catch (error) {
      setFault(error instanceof RpcFault ? error : new RpcFault(texts.abiMisfit));
    }
  };
  return (
    <FunctionForm {...{ item }} onSubmit={() => void ask()}>
      <InputFields {...inputs} />
      <div class="actions">
        <Button type="submit" small>
          {texts.readOne(item.name)}
        </Button>
      </div>
      {answer !== undefined && (
        <output class="code answer" aria-label={item.name}>
          {answer}
        </output>
      )}
      {fault && <Refused {...{ fault, abi }} />}
    </FunctionForm>
  );
}

export function WriteForm({
  address,
  abi,
  item,
  sender,
  privacy,
}: FormProps & { sender: Sender | undefined; privacy: Privacy }) {
  const { texts } = useSpeech();
  const inputs = useInputs(item.inputs);
  const sending = useSending();
  const [value, setValue] = useState('');
  const isPayable = item.stateMutability === 'payable' && !privacy.isPrivate;
  const isValueBad = isPayable && !/^\d*$/.test(value);
  const send = () => {
    const values = inputs.read();
    if (!values || !sender || isValueBad || !isWellFormed(privacy)) return;
    void sending.start(async () => {
      const data = encodeFunctionData({ abi: [item], functionName: item.name, args: values });
      return sender.send({
        ...{ to: address, data, ...privateMembers(privacy) },
        ...(isPayable && value !== '' ? { value: `0x${BigInt(value).toString(16)}` } : {}),
      });
    });
  };
  return (
    <FunctionForm {...{ item }} onSubmit={send}>
      <InputFields {...inputs} />
      {isPayable && (
        <TextField
          label={texts.valueInWei}
          name="value"
          {...{ value }}
          fault={isValueBad ? texts.numberFault : undefined}
          onInput={setValue}
        />
      )}
      <div class="actions">
        <Button type="submit" small busy={sending.isBusy}>
          {privacy.isPrivate && <Icon name="lock" size={16} />}
          {texts.sendOne(item.name)}
        </Button>
      </div>
      {sending.hash !== undefined && <Outcome hash={sending.hash} />}
      {sending.fault && <Refused fault={sending.fault} {...{ abi }} />}
    </FunctionForm>
  );
}

function FunctionForm({
  item,
  onSubmit,
  children,
}: {
  item: AbiFunction;
  onSubmit: () => void;
  children: ComponentChildren;
}) {
  return (
    <details class="entry">
      <summary>
        <strong>{item.name}</strong>{' '}
        <span class="code soft">({item.inputs.map(({ type }) => type).join(', ')})</span>
      </summary>
      <form
        class="stack-close"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
      </form>
    </details>
  );
}
