/** Finds by number, hash, address, or a name given on this device. */
import { useId, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { addressNamed } from '../abi/known-contracts.ts';
import { blockBy, transactionBy } from '../node/chain.ts';
import { useConnection } from '../node/connection.tsx';
import type { Rpc } from '../node/rpc.ts';
import { usePlace } from '../router.tsx';
import { useSpeech } from '../speech.ts';

export function Search() {
  const { texts } = useSpeech();
  const { go } = usePlace();
  const { rpc } = useConnection();
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const id = useId();
  const find = async () => {
    const path = await placeOf(rpc, text.trim()).catch(() => undefined);
    setMissing(path === undefined);
    if (path === undefined) return;
    setText('');
    go(path);
  };
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') void find();
        }}
      >
        <label class="hidden-text" for={id}>
          {texts.search}
        </label>
        <input
          id={id}
          class="input"
          name="search"
          type="search"
          placeholder={texts.searchHint}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={text}
          aria-invalid={isMissing ? 'true' : undefined}
          aria-describedby={isMissing ? `${id}-fault` : undefined}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setMissing(false);
          }}
        />
        <Button type="submit" look="primary">
          <Icon name="search" />
          <span class="wide-only">{texts.find}</span>
        </Button>
      </form>
      {isMissing && (
        <p class="field-fault" id={`${id}-fault`} role="alert">
          <Icon name="alert" size={18} />
          {texts.notFound}
        </p>
      )}
    </search>
  );
}

/** Resolves with the page's path; undefined: not found. */
async function placeOf(rpc: Rpc, text: string): Promise<string | undefined> {
  const digits = text.replace(/[\s.,'_]/g, '');
  if (/^\d{1,15}$/.test(digits)) {
    return (await blockBy(rpc, digits)) ? `/block/${Number(digits)}` : undefined;
  }
  if (/^0x[0-9a-f]{40}$/i.test(text)) return `/address/${text.toLowerCase()}`;
  if (/^0x[0-9a-f]{64}$/i.test(text)) {
    const hash = text.toLowerCase();
    const [transaction, block] = await Promise.all([transactionBy(rpc, hash), blockBy(rpc, hash)]);
    return transaction ? `/tx/${hash}` : block ? `/block/${hash}` : undefined;
  }
  const address = addressNamed(text);
  return address === undefined ? undefined : `/address/${address}`;
}
