/**
 * The widget's requests to its server. The page's secret is sent in a header, so that no other site
 * can send requests in its name.
 */
import type { WidgetAnswer, WidgetState } from '../../../core/ramp/page-data.ts';
import { request } from '../../ui/request.ts';

export type Answers = Readonly<Record<string, string>>;

export class WidgetApi {
  readonly session: string;

  constructor(session: string) {
    this.session = session;
  }

  state(): Promise<WidgetAnswer> {
    return this.ask('state');
  }

  requote(): Promise<WidgetAnswer> {
    return this.ask('quote', {});
  }

  /** Pays a buy, or orders a sell, at the price that was shown. */
  order(quotedAtMs: number, answers: Answers): Promise<WidgetAnswer> {
    return this.ask('order', { quotedAtMs, answers });
  }

  approve(isApproved: boolean): Promise<WidgetAnswer> {
    return this.ask('approve', { isApproved });
  }

  cancel(): Promise<WidgetAnswer> {
    return this.ask('cancel', {});
  }

  /** Ends a recurring buy: no further runs. */
  stop(): Promise<WidgetAnswer> {
    return this.ask('stop', {});
  }

  private ask(what: string, body?: object): Promise<WidgetAnswer> {
    const headers = { 'x-widget-session': this.session };
    return request(`widget/${what}`, { headers, ...(body ? { body } : {}) });
  }
}

/** The properties of each step: the state to show, the API, and the receiver of answers. */
export interface StepProps {
  readonly state: WidgetState;
  readonly api: WidgetApi;
  readonly take: (answer: WidgetAnswer) => void;
}
