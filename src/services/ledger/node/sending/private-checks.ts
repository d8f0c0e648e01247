/**
 * Checks of a private transaction's arguments before it leaves this node (GoQuorum
 * internal/ethapi/api.go, checkAndHandlePrivateTransaction).
 */
import { fail } from '../../../../core/base/errors.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import { isPrivacyFlag, MANDATORY_RECIPIENTS } from '../../../../core/privacy/flags.ts';
import type { PrivacyFlag } from '../../../../core/privacy/inputs.ts';
import type { PrivateArgs } from './send-args.ts';

/** Returns the flag. Throws GoQuorum's text for the first violated rule. */
export function checkPrivateArgs(args: PrivateArgs, rules: Rules): PrivacyFlag {
  const { flag, mandatoryFor } = args;
  if (!isPrivacyFlag(flag)) throw fail('PRIVACY_FLAG', 'invalid privacy flag');
  if (!rules.isPrivacyEnhancements && flag !== 0) {
    throw fail(
      'PRIVACY_FLAG',
      'PrivacyEnhancements are disabled. Can only accept transactions with PrivacyFlag=0(StandardPrivate).',
    );
  }
  const hasMandatory = mandatoryFor !== undefined && mandatoryFor.length > 0;
  if (flag === MANDATORY_RECIPIENTS && !hasMandatory) {
    throw fail(
      'PRIVACY_MANDATORY',
      'missing mandatory recipients data. if no mandatory recipients required consider using PrivacyFlag=1(PartyProtection)',
    );
  }
  if (flag !== MANDATORY_RECIPIENTS && hasMandatory) {
    throw fail(
      'PRIVACY_MANDATORY',
      'privacy metadata invalid. mandatory recipients are only applicable for PrivacyFlag=2(MandatoryRecipients)',
    );
  }
  return flag;
}
