/** Access token and private state for the node's calls. They stay in this tab. */
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useConnection } from '../node/connection.tsx';
import { useSpeech } from '../speech.ts';

export function AccessDialog({ onClose }: { onClose: () => void }) {
  const { texts } = useSpeech();
  const { access, setAccess } = useConnection();
  const [token, setToken] = useState(access.token);
  const [psi, setPsi] = useState(access.psi);
  return (
    <Dialog
      title={texts.access}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button
            look="primary"
            onClick={() => {
              setAccess({ token: token.trim(), psi: psi.trim() });
              onClose();
            }}
          >
            {texts.use}
          </Button>
        </>
      }
    >
      <TextField
        label={texts.bearer}
        hint={texts.tokenHint}
        name="token"
        value={token}
        secret
        onInput={setToken}
      />
      <TextField label={texts.psi} hint={texts.psiHint} name="psi" value={psi} onInput={setPsi} />
    </Dialog>
  );
}
