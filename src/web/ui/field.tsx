/** A form field: label, hint, error and control, connected for screen readers. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icons.tsx';

const TEXT = { type: 'text' } as const;
const SECRET = { type: 'password' } as const;

export interface Option {
  readonly value: string;
  readonly label: string;
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly onInput: (value: string) => void;
}

export function TextField({
  label,
  value,
  hint,
  fault,
  onInput,
  name,
  autocomplete,
  inputMode,
  placeholder,
  secret = false,
}: FieldProps & {
  name: string;
  autocomplete?: string;
  inputMode?: 'numeric' | 'text';
  placeholder?: string;
  secret?: boolean;
}) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, fault }}>
      <input
        {...{ id, name, value }}
        {...(placeholder ? { placeholder } : {})}
        {...(secret ? SECRET : TEXT)}
        class="input numeric"
        inputMode={inputMode ?? 'text'}
        autocomplete={autocomplete ?? 'off'}
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={fault === undefined ? undefined : 'true'}
        aria-describedby={describedBy(id, hint, fault)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Field>
  );
}

export function SelectField({
  label,
  value,
  hint,
  fault,
  onInput,
  name,
  options,
}: FieldProps & { name: string; options: readonly Option[] }) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, fault }}>
      <select
        {...{ id, name, value }}
        class="input select"
        aria-invalid={fault === undefined ? undefined : 'true'}
        aria-describedby={describedBy(id, hint, fault)}
        onInput={(event) => onInput(event.currentTarget.value)}
      >
        <Options {...{ options }} />
      </select>
    </Field>
  );
}

function Options({ options }: { options: readonly Option[] }) {
  return options.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** Without a visible label, because the text around it says what it selects. */
export function SmallSelect({
  label,
  value,
  options,
  onInput,
}: {
  label: string;
  value: string;
  options: readonly Option[];
  onInput: (value: string) => void;
}) {
  return (
    <select
      class="input select select-small"
      aria-label={label}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    >
      <Options {...{ options }} />
    </select>
  );
}

/** Example answers to choose with one tap. */
export function Samples({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly Option[];
  onChoose: (value: string) => void;
}) {
  return (
    <fieldset class="samples">
      <legend class="field-hint">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class="sample"
          aria-pressed={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}

function Field({
  id,
  label,
  hint,
  fault,
  children,
}: {
  id: string;
  label: string;
  hint: string | undefined;
  fault: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="field-fault" id={`${id}-fault`} role="alert">
          <Icon name="alert" size={18} />
          {fault}
        </p>
      )}
    </div>
  );
}

function describedBy(id: string, hint?: string, fault?: string): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`];
  return ids.filter(Boolean).join(' ') || undefined;
}
