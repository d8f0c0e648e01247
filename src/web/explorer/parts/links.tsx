/** Links from hashes, addresses and numbers to their pages. */
import { nameOf } from '../abi/known-contracts.ts';
import { Link } from '../router.tsx';
import { useSpeech } from '../speech.ts';

const HEAD = 8;
const TAIL = 6;

/** `0x123456…abcdef`. */
export function short(hex: string): string {
  return hex.length > HEAD + TAIL + 2 ? `${hex.slice(0, HEAD)}…${hex.slice(-TAIL)}` : hex;
}

export function AddressLink({ address, isWhole = false }: { address: string; isWhole?: boolean }) {
  // Decoded arguments have a checksum in their letters' case, answers of nodes have not.
  const plain = address.toLowerCase();
  const name = nameOf(plain);
  return (
    <Link to={`/address/${plain}`} label={plain} class={name === undefined ? 'code' : undefined}>
      {name ?? (isWhole ? plain : short(plain))}
    </Link>
  );
}

export function TransactionLink({ hash, isWhole = false }: { hash: string; isWhole?: boolean }) {
  return (
    <Link to={`/tx/${hash}`} label={hash} class="code">
      {isWhole ? hash : short(hash)}
    </Link>
  );
}

export function BlockLink({ number }: { number: number }) {
  const { language } = useSpeech();
  return (
    <Link to={`/block/${number}`} class="numeric">
      {new Intl.NumberFormat(language).format(number)}
    </Link>
  );
}

/** The recipient of a transaction; `null`: it creates a contract. */
export function Recipient({ to }: { to: string | null }) {
  const { texts } = useSpeech();
  return to === null ? <em class="soft">{texts.creation}</em> : <AddressLink address={to} />;
}
