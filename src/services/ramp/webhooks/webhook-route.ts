/** A route for reports of a payment provider, which counts accepted and refused ones. */
import type { Log } from '../../../core/base/ports.ts';
import type { HttpReply, HttpRequest, Route } from '../../../io/http/server.ts';
import { refusalOf } from '../api/refusal.ts';
import { failureReply } from '../api/routes.ts';

export interface WebhookRouteParts {
  readonly log: Log;
  readonly told: (outcome: 'accepted' | 'refused') => void;
}

/** `take` throws a Refusal for a report that is not signed or is invalid. */
export function webhookRoute(
  path: string,
  { log, told }: WebhookRouteParts,
  take: (request: HttpRequest) => Promise<HttpReply>,
): Route {
  return {
    ...{ method: 'POST', path },
    async handle(request): Promise<HttpReply> {
      try {
        const reply = await take(request);
        told('accepted');
        return reply;
      } catch (error) {
        if (refusalOf(error)) told('refused');
        return failureReply(error, log);
      }
    },
  };
}
