/** Signed calls to an AWS service with a JSON interface; throttled calls are retried. */
import { fail } from '../../core/base/errors.ts';
import { type AwsCredentials, signV4 } from './aws-signature.ts';
import { baseUrl, type VaultAnswer, type VaultRequest } from './vault-types.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.1';
const TRIES_MAX = 4;
const RETRY_MS = 100;
const THROTTLED: readonly string[] = [
  'ThrottlingException',
  'LimitExceededException',
  'TooManyRequestsException',
  'RequestLimitExceeded',
];

export interface AwsService {
  /** The service's name in its host name and in signatures. */
  readonly name: string;
  /** Prefix of operations in `X-Amz-Target`. */
  readonly target: string;
  /** The service's name in errors. */
  readonly title: string;
}

export interface AwsClientParts {
  readonly service: AwsService;
  readonly region: string;
  /** Replaces the endpoint of the region. */
  readonly endpoint?: string | undefined;
  readonly credentials: () => AwsCredentials | Promise<AwsCredentials>;
  readonly ask: VaultRequest;
  readonly now: () => Date;
}

export type AwsCall = (operation: string, body: object) => Promise<VaultAnswer>;

/**
 * Resolves with any answer except throttling or a failure on AWS's side; those are retried a few
 * times.
 */
export function awsCalls(parts: AwsClientParts): AwsCall {
  const { service, region } = parts;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const regional = `https://${service.name}.${region}.${domain}/`;
  const url = baseUrl(parts.endpoint ?? regional, service.title);
  const once = async (operation: string, text: string): Promise<VaultAnswer> => {
    const headers: Record<string, string> = {
      'content-type': CONTENT_TYPE,
      host: url.host,
      'x-amz-target': `${service.target}.${operation}`,
    };
    const credentials = await parts.credentials();
    const signed = signV4('POST', url, headers, text, service.name, credentials, parts.now());
    return parts.ask('POST', url, Object.entries(signed), text);
  };
  return async (operation, body) => {
    const text = JSON.stringify(body);
    for (let tried = 1; ; tried++) {
      const answer = await once(operation, text);
      const isBusy = answer.status >= 500 || THROTTLED.includes(awsErrorKind(answer));
      if (!isBusy || tried === TRIES_MAX) return answer;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** tried * Math.random()));
    }
  };
}

/** The kind of error, such as ResourceNotFoundException; empty when there is none. */
export function awsErrorKind({ fields }: VaultAnswer): string {
  const type = fields.__type;
  return typeof type === 'string' ? type.split('#').at(-1)! : '';
}

/** The kind of the error may be quoted: it is AWS's own word, not a secret. */
export function awsRefused(service: AwsService, what: string, answer: VaultAnswer): Error {
  const kind = awsErrorKind(answer);
  const told = /^\w{1,80}$/.test(kind) ? ` (${kind})` : '';
  return fail(
    'VAULT_REFUSED',
    `${service.title} answers ${what} with status ${answer.status}${told}`,
  );
}
