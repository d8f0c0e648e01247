/** The payment provider's questions, in the customer's language where it is known. */
import type { Choice, Question } from '../../../core/ramp/page-data.ts';
import { Samples, SelectField, TextField } from '../../ui/field.tsx';
import type { RequestFault } from '../../ui/request.ts';
import type { Answers } from './api.ts';
import { useSpeech } from './speech.ts';

export function Questions({
  questions,
  answers,
  fault,
  onAnswer,
}: {
  questions: readonly Question[];
  answers: Answers;
  fault: RequestFault | undefined;
  onAnswer: (name: string, value: string) => void;
}) {
  return (
    <>
      {questions.map((question) => (
        <OneQuestion
          key={question.name}
          question={question}
          value={answers[question.name] ?? ''}
          fault={fault?.field === question.name ? fault : undefined}
          onInput={(value) => onAnswer(question.name, value)}
        />
      ))}
    </>
  );
}

function OneQuestion({
  question,
  value,
  fault,
  onInput,
}: {
  question: Question;
  value: string;
  fault: RequestFault | undefined;
  onInput: (value: string) => void;
}) {
  const { texts } = useSpeech();
  const { name, choices, samples, autocomplete } = question;
  const known = texts.questions[name];
  const label = known?.label ?? question.label;
  const hint = known ? known.hint || undefined : question.hint;
  const wrong = fault && (known?.fault ?? `${texts.faults.answer_invalid} ${fault.message}`);
  const shown = (options: readonly Choice[]) =>
    options.map((option) => ({ ...option, label: texts.answers[option.value] ?? option.label }));
  const common = { name, label, value, hint, fault: wrong, onInput };
  if (choices) return <SelectField {...common} options={shown(choices)} />;
  const isCard = autocomplete === 'cc-number';
  return (
    <div class="stack-close">
      <TextField
        {...common}
        autocomplete={autocomplete}
        inputMode={isCard ? 'numeric' : 'text'}
        placeholder={isCard ? '0000 0000 0000 0000' : ''}
        onInput={(text) => onInput(isCard ? inFours(text) : text)}
      />
      {samples && (
        <Samples
          label={texts.choose}
          value={value}
          options={samples.map(({ value: sample, label: what }) => ({
            value: sample,
            label: texts.answers[what] ?? what,
          }))}
          onChoose={onInput}
        />
      )}
    </div>
  );
}

const CARD_DIGITS_MAX = 19;

/** A card number in groups of four digits. */
function inFours(text: string): string {
  const digits = text.replace(/\D/g, '').slice(0, CARD_DIGITS_MAX);
  return digits.replace(/(\d{4})(?=\d)/g, '$1 ');
}
