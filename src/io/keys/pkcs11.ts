/**
 * Keys in hardware security modules, through PKCS#11: a key signs inside its module. The package
 * pkcs11js loads the module's library.
 */
import { concatBytes, type Hash32 } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { type LoadPackage, optionalPackage } from '../host/optional-package.ts';
import { Gate } from '../threads/parallel.ts';

const PACKAGE = 'pkcs11js';
/** Maximum number of signatures that wait for one session. */
const WAITING_MAX = 10_000;
const OBJECTS_MAX = 2;
/** OBJECT IDENTIFIER 1.3.132.0.10 in DER: secp256k1. */
const CURVE = Buffer.from('06052b8104000a', 'hex');
const OCTET_STRING = 0x04;
const WRAPPED_POINT_BYTES = 67;

// Constants of the standard's header file.
const CKF_SERIAL_SESSION = 0x4;
const CKU_USER = 1;
const CKO_PUBLIC_KEY = 2;
const CKO_PRIVATE_KEY = 3;
const CKA_CLASS = 0x0;
const CKA_LABEL = 0x3;
const CKA_ID = 0x102;
const CKA_EC_PARAMS = 0x180;
const CKA_EC_POINT = 0x181;
const CKM_ECDSA = 0x1041;
const CKR_USER_ALREADY_LOGGED_IN = 0x100;
const CKR_CRYPTOKI_ALREADY_INITIALIZED = 0x191;

type Handle = Buffer;
interface Attribute {
  readonly type: number;
  readonly value?: Buffer | number | string;
}

/** The part of the package that is used here. */
interface Library {
  load(path: string): void;
  C_Initialize(): void;
  C_GetSlotList(hasToken: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, user: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void;
  C_FindObjects(session: Handle, max: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(
    session: Handle,
    object: Handle,
    template: readonly Attribute[],
  ): readonly { readonly value: Buffer }[];
  C_SignInit(session: Handle, mechanism: { readonly mechanism: number }, key: Handle): void;
  C_SignAsync(session: Handle, data: Buffer, out: Buffer): Promise<Buffer>;
}

export interface Pkcs11Place {
  readonly modulePath: string;
  /** How to choose the token: by its label, by its slot's position, or the only one. */
  readonly tokenLabel?: string | undefined;
  readonly slotIndex?: number | undefined;
  readonly pin: () => Promise<string | undefined>;
  readonly keyLabel?: string | undefined;
  /** The key's id, in hex. */
  readonly keyId?: string | undefined;
}

export interface Pkcs11Signer {
  readonly publicKey: Uint8Array;
  /** The signature, r ‖ s. */
  sign(digest: Hash32): Promise<Uint8Array>;
  close(): void;
}

/** Libraries of this process by path: a module must be initialised only once. */
const libraries = new Map<string, Library>();

/** Rejects with PACKAGE_MISSING, HSM_FAILED, KEY_CURVE_UNSUPPORTED. */
export async function openPkcs11(place: Pkcs11Place, load?: LoadPackage): Promise<Pkcs11Signer> {
  const library = await openLibrary(place.modulePath, load);
  const pin = await place.pin();
  const slot = slotOf(library, place);
  const session = step('a session', () => library.C_OpenSession(slot, CKF_SERIAL_SESSION));
  try {
    if (pin !== undefined) login(library, session, pin);
    const key = findOne(library, session, CKO_PRIVATE_KEY, place);
    const publicKey = publicKeyOf(
      library,
      session,
      findOne(library, session, CKO_PUBLIC_KEY, place),
    );
    return signer(library, session, key, publicKey);
  } catch (error) {
    library.C_CloseSession(session);
    throw error;
  }
}

function signer(
  library: Library,
  session: Handle,
  key: Handle,
  publicKey: Uint8Array,
): Pkcs11Signer {
  // A session does one operation at a time.
  const gate = new Gate({ width: 1, waitingMax: WAITING_MAX });
  return {
    publicKey,
    sign: (digest) =>
      gate.run(async () => {
        step('a signature', () => library.C_SignInit(session, { mechanism: CKM_ECDSA }, key));
        const out = await library
          .C_SignAsync(session, Buffer.from(digest), Buffer.alloc(64))
          .catch((cause: unknown) => {
            throw failed('a signature', cause);
          });
        return new Uint8Array(out);
      }),
    close: () => library.C_CloseSession(session),
  };
}

async function openLibrary(path: string, load: LoadPackage | undefined): Promise<Library> {
  const held = libraries.get(path);
  if (held) return held;
  const purpose = 'keys in hardware security modules (pkcs11)';
  const { PKCS11 } = (await optionalPackage(PACKAGE, purpose, load)) as Pkcs11Package;
  const library = new PKCS11();
  step(`the library ${path}`, () => library.load(path));
  step('to be initialised', () => library.C_Initialize(), CKR_CRYPTOKI_ALREADY_INITIALIZED);
  libraries.set(path, library);
  return library;
}

interface Pkcs11Package {
  readonly PKCS11: new () => Library;
}

function slotOf(library: Library, { tokenLabel, slotIndex }: Pkcs11Place): Handle {
  const slots = step('a list of slots', () => library.C_GetSlotList(true));
  if (slotIndex !== undefined) {
    const slot = slots[slotIndex];
    if (slot) return slot;
    throw fail('HSM_FAILED', `PKCS#11: there is no slot ${slotIndex} with a token`);
  }
  const fitting = slots.filter((slot) => {
    if (tokenLabel === undefined) return true;
    return step('a label', () => library.C_GetTokenInfo(slot)).label.trim() === tokenLabel;
  });
  if (fitting.length === 1) return fitting[0]!;
  const which = tokenLabel === undefined ? '' : ` labelled ${tokenLabel}`;
  throw fail(
    'HSM_FAILED',
    `PKCS#11: there are ${fitting.length} tokens${which}: name one by tokenLabel or slotIndex`,
  );
}

function login(library: Library, session: Handle, pin: string): void {
  step('the login', () => library.C_Login(session, CKU_USER, pin), CKR_USER_ALREADY_LOGGED_IN);
}

function findOne(
  library: Library,
  session: Handle,
  kind: number,
  { keyLabel, keyId }: Pkcs11Place,
): Handle {
  const template: Attribute[] = [{ type: CKA_CLASS, value: kind }];
  if (keyLabel !== undefined) template.push({ type: CKA_LABEL, value: keyLabel });
  if (keyId !== undefined) template.push({ type: CKA_ID, value: Buffer.from(keyId, 'hex') });
  const found = step('the search for the key', () => {
    library.C_FindObjectsInit(session, template);
    const handles = library.C_FindObjects(session, OBJECTS_MAX);
    library.C_FindObjectsFinal(session);
    return handles;
  });
  if (found.length === 1) return found[0]!;
  const what = kind === CKO_PRIVATE_KEY ? 'private' : 'public';
  const count = found.length === 0 ? 'no' : 'more than one';
  const name = keyLabel ?? keyId ?? '';
  throw fail('HSM_FAILED', `PKCS#11: the token has ${count} ${what} key named ${name}`);
}

/** The public key, 64 bytes. */
function publicKeyOf(library: Library, session: Handle, key: Handle): Uint8Array {
  const [curve, point] = step('the public key', () =>
    library.C_GetAttributeValue(session, key, [{ type: CKA_EC_PARAMS }, { type: CKA_EC_POINT }]),
  );
  if (!curve || !point || !CURVE.equals(curve.value)) {
    throw fail('KEY_CURVE_UNSUPPORTED', 'PKCS#11: the key is not of the curve secp256k1');
  }
  // The standard encodes the point in an octet string; some modules do not.
  const { value } = point;
  const isWrapped = value[0] === OCTET_STRING && value.length === WRAPPED_POINT_BYTES;
  const raw = isWrapped ? value.subarray(2) : value;
  const publicKey = concatBytes(raw.subarray(1));
  if (publicKey.length === 64 && secp256k1().isPublicKey(publicKey)) return publicKey;
  throw fail('KEY_CURVE_UNSUPPORTED', 'PKCS#11: the public key is not a point of secp256k1');
}

/** Errors of the library name the function and its result, but never contain a PIN. */
function step<T>(what: string, run: () => T, harmless?: number): T {
  try {
    return run();
  } catch (cause) {
    if (harmless !== undefined && (cause as { code?: unknown }).code === harmless) {
      return undefined as T;
    }
    throw failed(what, cause);
  }
}

function failed(what: string, cause: unknown): Error {
  const { message } = cause as { readonly message?: unknown };
  const word = /CKR_\w+/.exec(String(message))?.[0] ?? 'the library cannot be used';
  return fail('HSM_FAILED', `PKCS#11 refuses ${what}: ${word}`);
}
