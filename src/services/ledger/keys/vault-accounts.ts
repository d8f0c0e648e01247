/**
 * Accounts whose keys are in HashiCorp Vault, as in GoQuorum's account plugin
 * (quorum-account-plugin-hashicorp-vault internal/hashicorp): a folder of files with the location
 * of each key in the vault, without the keys.
 */
import { type Address, equalBytes, type Hash32, keyOf } from '../../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import { bareHex, fromHex } from '../../../core/base/hex.ts';
import type { Log, Timer, Timers } from '../../../core/base/ports.ts';
import { addressOfSecretKey, recoverAddress, sign65 } from '../../../core/base/secp256k1.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { type HashicorpSession, vaultPath } from '../../../io/keys/hashicorp-session.ts';
import { newSecretKey } from '../../../io/keys/node-key.ts';
import type { VaultAccountsConfig } from '../config/vault-accounts.ts';
import type { NewPluginAccount, PluginAccount, PluginAccounts } from '../node/sending/accounts.ts';
import type { VaultAccountFile, VaultAccountFolder } from './vault-account-folder.ts';

/** Limit of setTimeout; an account unlocked for longer stays so until the process ends. */
const UNLOCK_MS_MAX = 2 ** 31 - 1;

export interface VaultAccountsParts {
  readonly config: VaultAccountsConfig;
  readonly session: HashicorpSession;
  readonly folder: VaultAccountFolder;
  readonly timers: Timers;
  readonly mayUnlock: boolean;
  readonly log: Log;
}

interface Unlocked {
  readonly secretKey: Uint8Array;
  readonly expiry: Timer | undefined;
}

export class VaultAccounts implements PluginAccounts {
  private readonly parts: VaultAccountsParts;
  private readonly unlocked = new Map<string, Unlocked>();

  constructor(parts: VaultAccountsParts) {
    this.parts = parts;
  }

  /** Unlocks the accounts in the configuration. One that fails stays locked, as with the plugin. */
  async unlockNamed(): Promise<void> {
    for (const address of this.parts.config.unlock) {
      await this.hold(fromHex(`0x${address}`), 0).catch((cause: unknown) => {
        const account = `0x${address}`;
        this.parts.log('warn', 'unable to unlock account', { account, reason: reasonOf(cause) });
      });
    }
  }

  addresses(): readonly Address[] {
    return this.parts.folder.files().map(({ address }) => address);
  }

  /** In the order of their files, with the locations of their keys. */
  list(): readonly PluginAccount[] {
    return this.parts.folder.files().map((file) => this.placed(file));
  }

  has(address: Address): boolean {
    return this.addresses().some((each) => equalBytes(each, address));
  }

  /** Throws ACCOUNT_LOCKED, or the vault's error. */
  async sign(address: Address, hash: Hash32): Promise<Uint8Array> {
    const held = this.unlocked.get(keyOf(address));
    if (held) return sign65(hash, held.secretKey);
    const file = this.fileOf(address);
    if (this.parts.config.engine.kind === 'signer') return this.signThere(file, hash);
    throw fail('ACCOUNT_LOCKED', 'account locked');
  }

  /** The password is ignored: the vault decides. */
  async signOnce(address: Address, hash: Hash32): Promise<Uint8Array> {
    const held = this.unlocked.get(keyOf(address));
    if (held || this.parts.config.engine.kind === 'signer') return this.sign(address, hash);
    const secretKey = await this.fetchKey(this.fileOf(address));
    const signature = sign65(hash, secretKey);
    secretKey.fill(0);
    return signature;
  }

  /** Unlocks for `seconds`; 0: until the process ends. Throws ACCOUNT_UNLOCK_REFUSED. */
  async unlock(address: Address, seconds: number): Promise<void> {
    if (!this.parts.mayUnlock)
      throw fail('ACCOUNT_UNLOCK_REFUSED', 'account unlock with HTTP access is forbidden');
    // The engine quorum-signer never returns keys: there is nothing to unlock.
    if (this.parts.config.engine.kind === 'signer') return;
    await this.hold(address, seconds);
  }

  lock(address: Address): void {
    const held = this.unlocked.get(keyOf(address));
    held?.expiry?.cancel();
    held?.secretKey.fill(0);
    this.unlocked.delete(keyOf(address));
  }

  create(wanted: NewPluginAccount): Promise<PluginAccount> {
    return this.parts.config.engine.kind === 'signer'
      ? this.createThere(wanted, undefined)
      : this.store(newSecretKey(), wanted);
  }

  /** Throws ACCOUNT_EXISTS. */
  async importKey(secretKey: Uint8Array, wanted: NewPluginAccount): Promise<PluginAccount> {
    if (this.has(addressOfSecretKey(secretKey)))
      throw fail('ACCOUNT_EXISTS', 'account already exists');
    return this.parts.config.engine.kind === 'signer'
      ? this.createThere(wanted, secretKey)
      : this.store(secretKey, wanted);
  }

  private async hold(address: Address, seconds: number): Promise<void> {
    const secretKey = await this.fetchKey(this.fileOf(address));
    this.lock(address);
    const ms = seconds * 1000;
    const expiry =
      seconds > 0 && ms <= UNLOCK_MS_MAX
        ? this.parts.timers.set(ms, () => this.lock(address))
        : undefined;
    this.unlocked.set(keyOf(address), { secretKey, expiry });
  }

  private async fetchKey({ address, secretName, secretVersion }: VaultAccountFile) {
    const url = this.url('data', secretName);
    url.searchParams.set('version', String(secretVersion));
    const fields = await this.ask('GET', url, `reading ${secretName}`);
    const data = (fields.data as { data?: unknown } | undefined)?.data;
    if (typeof data !== 'object' || data === null) {
      throw refused(`there is no secret ${secretName}, version ${secretVersion}`);
    }
    const entries = Object.entries(data);
    if (entries.length !== 1) {
      throw refused('only one key/value pair is allowed in each Hashicorp Vault secret');
    }
    const [name, digits] = entries[0]!;
    const own = bareHex(address);
    if (name.replace(/^0x/, '').toLowerCase() !== own) {
      throw refused(`response does not contain data for account address ${own}`);
    }
    const isKey = /^(?:0x)?[0-9a-f]{64}$/i.test(String(digits));
    const secretKey = isKey ? fromHex(String(digits).toLowerCase()) : undefined;
    if (secretKey && equalBytes(addressOfSecretKey(secretKey), address)) return secretKey;
    throw refused(`the secret ${secretName} does not hold the key of 0x${own}`);
  }

  private async signThere({ address, secretName }: VaultAccountFile, hash: Hash32) {
    const url = this.url('sign', secretName);
    url.searchParams.set('sign', bareHex(hash));
    const fields = await this.ask('GET', url, `signing with ${secretName}`);
    const sig = (fields.data as { sig?: unknown } | undefined)?.sig;
    const isSignature = typeof sig === 'string' && /^(?:0x)?[0-9a-f]{130}$/i.test(sig);
    const signature = isSignature ? fromHex(sig.toLowerCase()) : undefined;
    if (signature && signature[64]! >= 27) signature[64] = signature[64]! - 27;
    const signer = signature && recoverAddress(hash, signature);
    if (signature && signer && equalBytes(signer, address)) return signature;
    throw refused('no/invalid signature returned from Vault');
  }

  private async store(secretKey: Uint8Array, wanted: NewPluginAccount): Promise<PluginAccount> {
    const { secretName, currentVersion, isUnprotected } = wanted;
    const address = addressOfSecretKey(secretKey);
    const body = JSON.stringify({
      data: { [bareHex(address)]: bareHex(secretKey) },
      ...(isUnprotected ? {} : { options: { cas: currentVersion } }),
    });
    secretKey.fill(0);
    const what = `writing ${secretName} (overwriteProtection names its current version)`;
    const fields = await this.ask('POST', this.url('data', secretName), what, body);
    const version = (fields.data as { version?: unknown } | undefined)?.version;
    if (typeof version !== 'number') throw refused('no version information returned from Vault');
    return this.keep({ address, secretName, secretVersion: version });
  }

  private async createThere(
    { secretName }: NewPluginAccount,
    secretKey: Uint8Array | undefined,
  ): Promise<PluginAccount> {
    const body = JSON.stringify(secretKey ? { import: bareHex(secretKey) } : {});
    secretKey?.fill(0);
    const fields = await this.ask('POST', this.url('accounts', secretName), 'a new account', body);
    const addr = String((fields.data as { addr?: unknown } | undefined)?.addr ?? '');
    if (!/^(?:0x)?[0-9a-f]{40}$/i.test(addr)) throw refused('invalid address returned from Vault');
    const address = fromHex(addr.toLowerCase());
    // This engine does not support versions: 0 is the latest.
    return this.keep({ address, secretName, secretVersion: 0 });
  }

  private keep(file: VaultAccountFile): PluginAccount {
    this.parts.folder.add(file);
    return this.placed(file);
  }

  private placed({ address, secretName, secretVersion }: VaultAccountFile): PluginAccount {
    const place = this.parts.config.engine.kind === 'kv' ? 'data' : 'accounts';
    return { address, url: `${this.url(place, secretName).href}?version=${secretVersion}` };
  }

  private async ask(method: string, url: URL, what: string, body?: string) {
    const { status, fields } = await this.parts.session.request(method, url, body);
    if (status === 200) return fields;
    throw refused(`${what}: status ${status}`);
  }

  private url(place: 'data' | 'sign' | 'accounts', secretName: string): URL {
    const { vault, engine } = this.parts.config;
    return new URL(`v1/${vaultPath(engine.name)}/${place}/${vaultPath(secretName)}`, vault);
  }

  private fileOf(address: Address): VaultAccountFile {
    const found = this.parts.folder.files().filter((file) => equalBytes(file.address, address));
    if (found.length > 1) throw fail('ACCOUNT_AMBIGUOUS', 'multiple accounts with same address');
    if (found[0]) return found[0];
    throw fail('ACCOUNT_UNKNOWN', 'unknown account');
  }
}

function refused(text: string): QuorateError {
  return fail('VAULT_REFUSED', `account plugin: ${text}`);
}
