/** One row per operation: its route, its parameters, its document and its handler. */
import type { Partner, RampConfig } from '../../../core/ramp/config.ts';
import type { HttpReply, HttpRequest } from '../../../io/http/server.ts';
import type { RestParameter } from '../../../io/rest/operation.ts';
import { badField } from './refusal.ts';

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** The first is documented, the others are aliases. `{name}` for parameters. */
  readonly paths: readonly string[];
  readonly summary: string;
  /** `open`: a credential is accepted but not required; browsers of any origin may call it. */
  readonly access: 'open' | 'partner';
  readonly parameters: readonly RestParameter[];
  readonly body?: object;
  /** Schema of the answer with status 200; undefined: a page. */
  readonly answer: object | undefined;
  readonly refusals: readonly number[];
  handle(call: Call): Promise<HttpReply>;
}

const TEXT_MAX = 4_096;

/** One request of an operation. */
export class Call {
  readonly request: HttpRequest;
  readonly config: RampConfig;
  /** The partner whose credential the request carries. */
  readonly partner: Partner | undefined;
  readonly address: string;
  private readonly texts = new Map<string, string>();

  /** Throws a Refusal for a parameter that is missing or repeated. */
  constructor(
    { parameters }: Operation,
    parts: {
      request: HttpRequest;
      config: RampConfig;
      partner: Partner | undefined;
      address: string;
    },
  ) {
    this.request = parts.request;
    this.config = parts.config;
    this.partner = parts.partner;
    this.address = parts.address;
    for (const { name, in: place, required } of parameters) {
      const given: unknown = (place === 'path' ? parts.request.params : parts.request.query)[name];
      if (Array.isArray(given))
        throw badField(name, 'parameter_repeated', 'is given more than once');
      if (given === undefined || given === '') {
        if (required) throw badField(name, 'parameter_missing', 'is missing');
        continue;
      }
      const text = String(given);
      if (text.length > TEXT_MAX) throw badField(name, 'parameter_long', 'is too long');
      this.texts.set(name, text);
    }
  }

  /** The text of a required parameter. */
  text(name: string): string {
    return this.texts.get(name)!;
  }

  optional(name: string): string | undefined {
    return this.texts.get(name);
  }

  /**
   * The partner that the request names; another partner's credential is refused. Throws a Refusal.
   */
  namedPartner(): Partner {
    const id = this.text('partnerAccountId');
    const found = this.config.partners.find((partner) => partner.id === id);
    if (!found || (this.partner && this.partner.id !== found.id)) {
      throw badField('partnerAccountId', 'partner_unknown', 'is not known');
    }
    return found;
  }
}
