/** Deploys a contract, publicly or privately. */

import { useState } from 'preact/hooks';
import { encodeDeployData, type Hex } from 'viem';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/status.tsx';
import type { Artifact } from '../abi/artifact.ts';
import { keepAbi } from '../abi/known-contracts.ts';
import { useAsk } from '../node/ask.tsx';
import { receiptOf } from '../node/chain.ts';
import { useHead } from '../node/connection.tsx';
import { AbiField } from '../parts/abi-field.tsx';
import { InputFields, useInputs } from '../parts/input-fields.tsx';
import { Heading, Panel } from '../parts/panel.tsx';
import { Outcome, Refused } from '../sending/outcome.tsx';
import { isWellFormed, PrivacyField, PUBLIC, privateMembers } from '../sending/privacy-field.tsx';
import { SenderField } from '../sending/sender-field.tsx';
import { useSenders } from '../sending/senders.ts';
import { useSending } from '../sending/use-sending.ts';
import { useSpeech } from '../speech.ts';

export function Deploy() {
  const { texts } = useSpeech();
  const [artifact, setArtifact] = useState<Artifact>();
  return (
    <>
      <Heading title={texts.deploy} />
      <Panel title={texts.whichContract}>
        <AbiField label={texts.artifactFile} onRead={setArtifact} />
        {artifact && artifact.bytecode === undefined && (
          <Notice tone="warn" alert>
            {texts.noBytecode}
          </Notice>
        )}
      </Panel>
      {artifact?.bytecode !== undefined && (
        <DeployForm key={artifact.bytecode} {...{ artifact }} bytecode={artifact.bytecode as Hex} />
      )}
    </>
  );
}

function DeployForm({ artifact, bytecode }: { artifact: Artifact; bytecode: Hex }) {
  const { texts } = useSpeech();
  const { abi, name } = artifact;
  const creation = abi.find((item) => item.type === 'constructor');
  const inputs = useInputs(creation?.inputs ?? []);
  const senders = useSenders();
  const [chosen, choose] = useState('');
  const [privacy, setPrivacy] = useState(PUBLIC);
  const sending = useSending();
  const sender = senders.list.find(({ id }) => id === chosen) ?? senders.list[0];
  const send = () => {
    const args = inputs.read();
    if (!args || !sender || !isWellFormed(privacy)) return;
    void sending.start(async () =>
      sender.send({ data: encodeDeployData({ abi, bytecode, args }), ...privateMembers(privacy) }),
    );
  };
  return (
    <Panel title={name ?? texts.contract}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <InputFields {...inputs} />
        <SenderField {...{ senders }} value={sender?.id ?? ''} onInput={choose} />
        <PrivacyField value={privacy} onInput={setPrivacy} />
        <div class="actions">
          <Button type="submit" look="primary" busy={sending.isBusy}>
            {privacy.isPrivate && <Icon name="lock" size={18} />}
            {privacy.isPrivate ? texts.deployPrivately : texts.deployPublicly}
          </Button>
        </div>
      </form>
      {sending.hash !== undefined && (
        <>
          <Outcome hash={sending.hash} />
          <KeepAbi hash={sending.hash} {...{ artifact }} />
        </>
      )}
      {sending.fault && <Refused fault={sending.fault} {...{ abi }} />}
    </Panel>
  );
}

/** Stores the ABI for the new contract's page. */
function KeepAbi({ hash, artifact }: { hash: string; artifact: Artifact }) {
  const { number } = useHead();
  const { value } = useAsk((rpc) => receiptOf(rpc, hash), `deployed ${hash}`, number);
  if (value?.contractAddress) keepAbi(value.contractAddress, artifact);
  return null;
}
