/** The payment providers that the options name, and where they report to. */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { Database } from '../../../io/database/database.ts';
import type { Route } from '../../../io/http/server.ts';
import { openStripe } from '../../../io/stripe/stripe.ts';
import type { RampSettings } from '../config.ts';
import { incomingRoute } from '../webhooks/incoming.ts';
import { readWebhookSecrets } from '../webhooks/signature.ts';
import type { PaymentAdapter, Report } from './adapter.ts';
import { Sandbox } from './sandbox.ts';
import { StripePayments } from './stripe/stripe-payments.ts';
import { stripeWebhook } from './stripe/stripe-webhook.ts';

export interface ProviderParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
  readonly place: { readonly url: string };
}

type Named = Pick<RampSettings, 'stripe' | 'paymentsSecretFile'>;
type Told = (outcome: 'accepted' | 'refused') => void;
type Routes = (report: Report, told: Told) => readonly Route[];

export interface Providers {
  readonly adapters: ReadonlyMap<string, PaymentAdapter>;
  /** Routes for the providers' webhooks. `told`: reports the outcome of each. */
  readonly routes: Routes;
}

/** Throws PACKAGE_MISSING. */
export async function composeProviders(settings: Named, parts: ProviderParts): Promise<Providers> {
  const sandbox = new Sandbox(parts);
  const stripe = await stripeProvider(settings, parts);
  const all: readonly PaymentAdapter[] = stripe ? [sandbox, stripe.payments] : [sandbox];
  return {
    adapters: new Map(all.map((each) => [each.name, each])),
    routes: (report, told) => [
      ...(stripe?.routes(report, told) ?? []),
      ...ownProvider(settings, parts)(report, told),
    ],
  };
}

/** The operator's own payment system, which only sends reports. */
function ownProvider({ paymentsSecretFile: file }: Named, parts: ProviderParts): Routes {
  const { database, clock, log } = parts;
  if (file === undefined) return () => [];
  const secrets = () => readWebhookSecrets(file);
  return (report, told) => [incomingRoute({ database, clock, log, secrets, report, told })];
}

async function stripeProvider(
  { stripe: settings }: Named,
  { database, clock, log, place }: ProviderParts,
): Promise<{ payments: StripePayments; routes: Routes } | undefined> {
  if (settings === undefined) return undefined;
  const { webhookSecrets: secrets, isLive } = settings;
  const stripe = await openStripe(settings);
  const payments = new StripePayments({ database, stripe, clock, log, place });
  const { events } = payments;
  return {
    payments,
    routes: (_report, told) =>
      secrets ? [stripeWebhook({ stripe, events, secrets, isLive, clock, log, told })] : [],
  };
}
