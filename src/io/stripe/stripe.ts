/** Stripe's API through Stripe's own package, which is needed only for payments through Stripe. */
import type { Stripe } from 'stripe';
import { type LoadPackage, optionalPackage } from '../host/optional-package.ts';

const PACKAGE = 'stripe';
const TIMEOUT_MS = 20_000;
/** Number of retries of one call, with the same idempotency key. */
const RETRIES = 2;

export type StripeClient = Stripe;

export interface StripeAddress {
  readonly secretKey: string;
  /** The API's URL; that of Stripe, except in tests. */
  readonly url: URL;
  readonly load?: LoadPackage | undefined;
}

/** Throws PACKAGE_MISSING, PACKAGE_BROKEN. */
export async function openStripe({ secretKey, url, load }: StripeAddress): Promise<StripeClient> {
  const loaded = await optionalPackage(PACKAGE, 'payments by Stripe', load);
  const Client = loaded as typeof Stripe;
  const isTls = url.protocol === 'https:';
  return new Client(secretKey, {
    ...{ host: url.hostname, port: url.port || (isTls ? 443 : 80) },
    ...{ protocol: isTls ? 'https' : 'http', timeout: TIMEOUT_MS, maxNetworkRetries: RETRIES },
    ...{ telemetry: false, appInfo: { name: 'quorate' } },
  });
}
