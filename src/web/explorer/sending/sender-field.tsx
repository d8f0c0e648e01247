/** Chooses the sender. */
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice } from '../../ui/status.tsx';
import { nameOf } from '../abi/known-contracts.ts';
import { short } from '../parts/links.tsx';
import { useSpeech } from '../speech.ts';
import type { Sender, Senders } from './senders.ts';

export function SenderField({
  senders,
  value,
  onInput,
}: {
  senders: Senders;
  /** The sender's id. */
  value: string;
  onInput: (id: string) => void;
}) {
  const { texts } = useSpeech();
  const { list, closed, open } = senders;
  const label = ({ kind, address, wallet }: Sender) =>
    `${nameOf(address) ?? short(address)} – ${wallet?.name ?? texts.holders[kind]}`;
  return (
    <div class="stack-close">
      {list.length === 0 ? (
        <Notice tone="warn">{texts.noSender}</Notice>
      ) : (
        <SelectField
          label={texts.sender}
          name="sender"
          value={value}
          options={list.map((each) => ({ value: each.id, label: label(each) }))}
          onInput={onInput}
        />
      )}
      <div class="actions">
        {closed.map((wallet) => (
          <Button key={wallet.id} small onClick={() => void open(wallet).catch(() => {})}>
            {texts.connectWallet(wallet.name)}
          </Button>
        ))}
      </div>
    </div>
  );
}
