/** Input of an ABI: a file, or its text. */
import { useId, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/status.tsx';
import { type Artifact, ArtifactFault, readArtifact } from '../abi/artifact.ts';
import { useSpeech } from '../speech.ts';

const FILE_BYTES_MAX = 10 * 1024 * 1024;

export function AbiField({
  label,
  onRead,
}: {
  label?: string;
  onRead: (artifact: Artifact) => void;
}) {
  const { texts } = useSpeech();
  const id = useId();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const read = (given: string) => {
    try {
      onRead(readArtifact(given));
      setFault(undefined);
    } catch (error) {
      if (!(error instanceof ArtifactFault)) throw error;
      setFault(texts.artifactFaults[error.problem](error.what));
    }
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > FILE_BYTES_MAX) return setFault(texts.fileTooLarge);
    read(await file.text());
  };
  return (
    <form
      class="stack-close"
      onSubmit={(event) => {
        event.preventDefault();
        read(text);
      }}
    >
      <label class="field-label" for={`${id}-file`}>
        {label ?? texts.abiFile}
      </label>
      <input
        id={`${id}-file`}
        class="input"
        type="file"
        accept=".json,.abi,application/json"
        aria-describedby={`${id}-hint`}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <p class="field-hint" id={`${id}-hint`}>
        {texts.abiHint}
      </p>
      <label class="field-label" for={`${id}-text`}>
        {texts.abiText}
      </label>
      <textarea
        id={`${id}-text`}
        class="input code"
        name="abi"
        rows={4}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {fault !== undefined && (
        <Notice tone="bad" alert>
          {fault}
        </Notice>
      )}
      <div class="actions">
        <Button type="submit" small>
          {texts.use}
        </Button>
      </div>
    </form>
  );
}
