/** A decoded call or event: its name, and its parameters with their values. */
import type { Decoded } from '../abi/decode.ts';
import { AddressLink } from './links.tsx';

export function DecodedCall({ decoded: { name, values } }: { decoded: Decoded }) {
  return (
    <div class="stack-close">
      <p>
        <strong>{name}</strong>
      </p>
      {values.length > 0 && (
        <dl class="details">
          {values.map((each, at) => (
            <div key={at} class="details-row">
              <dt>
                {each.name} <span class="code soft">{each.type}</span>
              </dt>
              <dd class="code">
                {each.type === 'address' ? (
                  <AddressLink address={each.value} isWhole />
                ) : (
                  each.value
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
