/** What opens what is locked in a manager's configuration: as Tessera takes it. */
import { askSecret } from '../io/host/ask.ts';
import type { SecretSource } from '../services/ptm/config/jasypt.ts';

export const CONFIG_SECRETS: SecretSource = { env: process.env, ask: askSecret };
