/** Chooses between public and private, the parties and the privacy flag. */
import { SelectField, TextField } from '../../ui/field.tsx';
import { useConnection } from '../node/connection.tsx';
import { useSpeech } from '../speech.ts';
import type { TransactionRequest } from './senders.ts';

export interface Privacy {
  readonly isPrivate: boolean;
  /** Public keys of the chosen parties. */
  readonly parties: readonly string[];
  /** Further keys, as the user typed them. */
  readonly others: string;
  /** 0 to 3, as text. */
  readonly flag: string;
}

export const PUBLIC: Privacy = { isPrivate: false, parties: [], others: '', flag: '0' };
const MANDATORY = '2';
const KEY = /^[A-Za-z0-9+/]{43}=$/;

function otherKeys({ others }: Privacy): readonly string[] {
  return others.split(/[\s,]+/).filter((each) => each !== '');
}

/** Whether the typed keys have the right format. */
export function isWellFormed(privacy: Privacy): boolean {
  return !privacy.isPrivate || otherKeys(privacy).every((each) => KEY.test(each));
}

export function privateMembers(privacy: Privacy): TransactionRequest {
  if (!privacy.isPrivate) return {};
  const privateFor = [...privacy.parties, ...otherKeys(privacy)];
  const privacyFlag = Number(privacy.flag);
  return {
    privateFor,
    ...(privacyFlag === 0 ? {} : { privacyFlag }),
    ...(privacy.flag === MANDATORY ? { mandatoryFor: privateFor } : {}),
  };
}

export function PrivacyField({
  value,
  onInput,
}: {
  value: Privacy;
  onInput: (value: Privacy) => void;
}) {
  const { texts } = useSpeech();
  const { page } = useConnection();
  const set = (part: Partial<Privacy>) => onInput({ ...value, ...part });
  const toggle = (key: string) => {
    const { parties } = value;
    set({
      parties: parties.includes(key) ? parties.filter((each) => each !== key) : [...parties, key],
    });
  };
  return (
    <fieldset class="choice">
      <legend class="field-label">{texts.whoSees}</legend>
      <label class="check">
        <input
          type="checkbox"
          name="private"
          checked={value.isPrivate}
          onChange={(event) => set({ isPrivate: event.currentTarget.checked })}
        />
        {texts.privately}
      </label>
      {value.isPrivate && (
        <div class="stack-close">
          {page.parties.map(({ name, key }) => (
            <label key={key} class="check">
              <input
                type="checkbox"
                name="party"
                value={key}
                checked={value.parties.includes(key)}
                onChange={() => toggle(key)}
              />
              <span>
                {name} <span class="code soft">{key}</span>
              </span>
            </label>
          ))}
          <TextField
            label={texts.otherParties}
            name="others"
            value={value.others}
            hint={texts.otherPartiesHint}
            fault={isWellFormed(value) ? undefined : texts.keyFault}
            onInput={(others) => set({ others })}
          />
          <SelectField
            label={texts.privacyFlag}
            name="flag"
            value={value.flag}
            options={texts.privacyFlags.map((label, at) => ({ value: String(at), label }))}
            onInput={(flag) => set({ flag })}
          />
        </div>
      )}
    </fieldset>
  );
}
