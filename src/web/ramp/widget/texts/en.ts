/** Every text of the widget in English. The other languages have the same shape. */

export interface OutcomeText {
  readonly title: string;
  readonly body: string;
}

export interface QuestionText {
  readonly label: string;
  readonly hint: string;
  readonly fault: string;
}

export const en = {
  language: 'Language',
  toDark: 'Dark colours',
  toLight: 'Light colours',
  copy: (what: string) => `Copy: ${what}`,
  copied: 'Copied',
  close: 'Close',

  buy: (crypto: string) => `Buy ${crypto}`,
  sell: (crypto: string) => `Sell ${crypto}`,
  forPartner: (partner: string) => `You came from ${partner}`,
  sandbox: 'Test mode: no real money moves.',
  secure: 'Encrypted. Nothing is loaded from anywhere else.',
  support: 'Help',
  terms: 'Terms',
  outside: '(opens a new tab)',

  youPay: 'You pay',
  youSell: 'You sell',
  youGet: 'You get',
  feesIncluded: 'All fees are included',
  exchanged: 'Exchanged',
  rate: 'Rate',
  processingFee: 'Processing fee',
  networkFee: 'Network fee',
  partnerFee: (partner: string) => `Fee of ${partner}`,
  toWallet: 'To wallet',
  fromWallet: 'From wallet',
  network: 'Network',
  chain: (id: string) => `Chain ${id}`,
  repeats: {
    weekly: 'This buy repeats every week, at that day’s price, until you end it.',
    monthly: 'This buy repeats every month, at that day’s price, until you end it.',
  },
  method: 'Payment',
  payoutMethod: 'Paid out by',

  priceHolds: (time: string) => `This price holds for ${time}`,
  priceRefreshing: 'Getting the price …',
  priceRefresh: 'Get the price now',
  priceChanged: (amount: string) => `The price has changed. You now get ${amount}.`,
  priceAway: 'There is no price at the moment. You have not been charged.',

  pay: (amount: string) => `Pay ${amount}`,
  sellNow: (amount: string) => `Sell ${amount}`,
  order: (amount: string) => `Order and transfer ${amount}`,
  working: 'One moment …',
  leave: (partner: string) => `Back to ${partner}`,
  choose: 'Try one of these',
  walletHint: 'Check the address: a transfer cannot be undone.',

  questions: {
    card: {
      label: 'Card number',
      hint: 'Only test cards are accepted here. Never enter a real one.',
      fault: 'This card cannot be used here.',
    },
    outcome: {
      label: 'What happens to the transfer',
      hint: '',
      fault: 'Choose one of the answers.',
    },
  } as Readonly<Record<string, QuestionText | undefined>>,
  answers: {
    pays: 'Pays',
    declines: 'Is declined',
    approval: 'Asks for approval',
    chargeback: 'Is charged back',
    arrives: 'It arrives in full',
    twice: 'It arrives twice',
    short: 'Half of it arrives',
    late: 'It arrives after the deadline',
    never: 'It never arrives',
    paid: 'It is paid',
    slow: 'It is paid after a while',
    refused: 'The bank refuses it',
  } as Readonly<Record<string, string | undefined>>,

  approveTitle: 'Approve the payment',
  approveBody: (amount: string) => `Your bank asks you to confirm a payment of ${amount}.`,
  approve: 'Yes, approve',
  refuse: 'No, refuse',

  payPageTitle: 'Pay with the payment provider',
  payPageBody: (amount: string) =>
    `You pay ${amount} on the provider's own page. This page never sees your card number.`,
  payPage: 'Go to the payment page',
  transferTitle: 'Transfer the money',
  transferBody: 'Use exactly this amount and this reference, or your transfer may not be found.',
  transferDone: (partner: string) => `Go back to ${partner}`,
  amount: 'Amount',
  transferLines: { Payee: 'Payee', Reference: 'Reference' } as Readonly<
    Record<string, string | undefined>
  >,
  until: (time: string) => `It must arrive by ${time}.`,

  depositTitle: (amount: string) => `Send ${amount}`,
  depositBody: 'to this address, once, from your wallet. The address is for this order only.',
  depositAddress: 'Deposit address',
  depositNetworkWarning: (network: string) =>
    `Send on chain ${network} only. Crypto sent on another chain is lost.`,
  depositQr: 'Deposit address as a QR code',

  progress: 'Progress of the order',
  states: { done: 'done', now: 'in progress', next: 'not yet', stopped: 'stopped' },
  stepOrder: 'Order placed',
  stepPayment: 'Payment received',
  stepDeposit: (crypto: string) => `${crypto} received`,
  stepPayout: (crypto: string) => `${crypto} sent`,
  stepFiatPayout: (fiat: string) => `${fiat} paid out`,
  stepConfirmed: 'Confirmed on the ledger',
  confirmed: (count: number, needed: number) => `${count} of ${needed} confirmations`,
  orderId: 'Order',
  transaction: 'Transaction',
  showTransaction: 'Show the transaction',
  cancelling: {
    action: 'Cancel the order',
    title: 'Cancel this order?',
    body: 'Do not cancel if you have already sent something.',
    keep: 'Keep it',
  },
  recurrence: {
    link: 'Link to this page, to end the buys later',
    action: 'End the recurring buys',
    title: 'End the recurring buys?',
    body: 'There will be no further buys. One that has started is completed.',
    keep: 'Keep buying',
    ended: 'The recurring buys have ended.',
  },

  backNow: (partner: string) => `Go back to ${partner}`,
  backSoon: (partner: string, seconds: number) => `Back to ${partner} in ${seconds} s`,
  stay: 'Stay here',
  again: 'Try again',
  reload: 'Reload',

  outcomes: {
    'PROVIDER-CREATED-ORDER': {
      title: 'Waiting for your crypto',
      body: 'The order continues by itself when it arrives.',
    },
    'PROVIDER-PENDING-ORDER': { title: 'Waiting for your payment', body: '' },
    'PROVIDER-PENDING-KYC': { title: 'Checking your identity', body: '' },
    'PROVIDER-PENDING-AUTHORIZATION': { title: 'Waiting for your approval', body: '' },
    'PROVIDER-PENDING-PAYMENT': {
      title: 'Waiting for your payment',
      body: 'How long this takes depends on your bank. You may close this page.',
    },
    'PROVIDER-PENDING-DEPOSIT': {
      title: 'Your crypto is on its way',
      body: 'The ledger has it, and is confirming it.',
    },
    'PROVIDER-PENDING-REVIEW': {
      title: 'Your order is being reviewed',
      body: 'Your money is safe. The order will continue, or you will get your money back.',
    },
    'PROVIDER-PENDING-PAYOUT': { title: 'Sending', body: 'Your part is done.' },
    'PROVIDER-PENDING-CONFIRMATION': {
      title: 'Sent, and being confirmed',
      body: 'The ledger is confirming the transaction.',
    },
    'PROVIDER-PENDING-REFUND': {
      title: 'Your money is on its way back',
      body: 'The order cannot be carried out.',
    },
    'PROVIDER-COMPLETED-ORDER': { title: 'Done', body: '' },
    'PROVIDER-FAILED-PAYMENT': {
      title: 'The payment failed',
      body: 'You have not been charged, or the money has been returned to you.',
    },
    'PROVIDER-FAILED-DEPOSIT': {
      title: 'The deposit could not be used',
      body: 'It has been returned to the wallet that it came from.',
    },
    'PROVIDER-FAILED-KYC': { title: 'Your identity could not be confirmed', body: '' },
    'PROVIDER-FAILED-LIMIT': {
      title: 'The amount is outside the limits',
      body: 'Your payment has been returned to you.',
    },
    'PROVIDER-FAILED-REVIEW': {
      title: 'The order was not carried out',
      body: 'What you paid or sent has been returned to you.',
    },
    'PROVIDER-FAILED-PAYOUT': {
      title: 'The payout failed',
      body: 'What you paid or sent has been returned to you.',
    },
    'PROVIDER-CANCELLED-USER': {
      title: 'You cancelled the order',
      body: 'You have not been charged.',
    },
    'PROVIDER-CANCELLED-PROVIDER': {
      title: 'The order was cancelled',
      body: 'You have not been charged, or the money has been returned to you.',
    },
    'PROVIDER-CANCELLED-EXPIRED': {
      title: 'The order has expired',
      body: 'Nothing arrived in time. Anything that arrives later is returned.',
    },
  } as Readonly<Record<string, OutcomeText | undefined>>,
  bought: (amount: string) => `${amount} is in your wallet.`,
  sold: (amount: string) => `${amount} has been paid out to you.`,
  declined: {
    title: 'The card was declined',
    body: 'You have not been charged. Try another card.',
  },

  faultTitle: 'This cannot be shown',
  faultField: (field: string) => `The problem: ${field}`,
  faultHelp: 'The site that sent you here must fix this. You have not been charged.',
  faultSupport: 'Give this number when you ask for help',
  faults: {
    amount_zero: 'The amount must be more than zero.',
    limit_min: 'The amount is too small.',
    limit_max: 'The amount is too large.',
    amount_below_fees: 'The amount is too small: the fees would use it up.',
    amount_invalid: 'The amount is not a number.',
    amount_precision: 'The amount has too many decimals.',
    amount_large: 'The amount is too large.',
    region_invalid: 'A region is a country or a state, such as us or us-al.',
    custom_id_invalid: 'The id of the order must be 64 letters and digits.',
    recurring_disabled: 'Recurring orders are not offered here.',
    frequency_invalid: 'The frequency must be weekly or monthly.',
    language_invalid: 'The language is a code such as en.',
    theme_invalid: 'The theme is light, dark or auto.',
    parameter_missing: 'A parameter is missing.',
    parameter_repeated: 'A parameter is given more than once.',
    parameter_long: 'A parameter is too long.',
    region_unknown: 'This region is not supported.',
    unsupported: 'This combination is not offered.',
    crypto_unknown: 'This crypto is not offered.',
    fiat_unknown: 'This currency is not offered.',
    payment_unknown: 'This payment method is not offered.',
    partner_unknown: 'This partner is unknown.',
    redirect_refused: 'The partner has not allowed this return address.',
    wallet_invalid: 'The wallet is not an address of this ledger.',
    wallet_refused: 'This wallet cannot be used.',
    custom_id_used: 'This order was already started. Start a new one.',
    paused: 'New orders of this kind are not accepted at the moment. Try again later.',
    price_away: 'There is no price at the moment. Try again later.',
    ledger_away: 'The ledger does not answer at the moment. Try again later.',
    payment_away: 'This payment method is not available now. Try again later.',
    unavailable: 'The service cannot answer now. Try again later.',
    too_many_requests: 'Too many requests. Try again in a minute.',
    session_unknown: 'This page has expired. Open it again from the site that you came from.',
    offer_over: 'This offer has expired. You have not been charged.',
    quote_changed: 'The price has changed. Check it again.',
    answer_invalid: 'This cannot be used.',
    not_now: 'This is no longer possible.',
    buy_disabled: 'Nothing can be bought here at the moment.',
    sell_disabled: 'Nothing can be sold here at the moment.',
    unreachable: 'There is no connection. Nothing is lost: try again.',
    internal: 'The service has failed. Try again later.',
  } as Readonly<Record<string, string | undefined>>,
};

export type Texts = typeof en;
