/** Asks for the operator's token; a session lasts eight hours. */
import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import type { RequestFault } from '../../ui/request.ts';
import { OperatorApi } from './api.ts';

export function SignIn({ onSignedIn }: { onSignedIn: (csrf: string) => void }) {
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const signIn = async () => {
    setBusy(true);
    await OperatorApi.signIn(token).then(
      ({ csrf }) => onSignedIn(csrf),
      ({ message }: RequestFault) => setFault(`${message}.`),
    );
    setBusy(false);
  };
  return (
    <form
      class="panel sign-in stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      <h1>Operator</h1>
      <TextField
        label="Operator token"
        name="token"
        value={token}
        hint="The content of the file named with --operator.token-file."
        fault={fault}
        autocomplete="current-password"
        secret
        onInput={setToken}
      />
      <Button type="submit" look="primary" wide busy={isBusy}>
        Sign in
      </Button>
    </form>
  );
}
