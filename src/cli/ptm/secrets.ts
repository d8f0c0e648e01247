/** Secrets for encrypted values in a manager's configuration, given as in Tessera. */
import { askSecret } from '../../io/host/ask.ts';
import type { SecretSource } from '../../services/ptm/config/jasypt.ts';

export const CONFIG_SECRETS: SecretSource = { env: process.env, ask: askSecret };
