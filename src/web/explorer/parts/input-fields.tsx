/** Input fields for the parameters of a function or constructor. */

import { useState } from 'preact/hooks';
import type { AbiParameter } from 'viem';
import { TextField } from '../../ui/field.tsx';
import { readValue, ValueFault } from '../abi/values.ts';
import { useSpeech } from '../speech.ts';

interface Inputs {
  readonly parameters: readonly AbiParameter[];
  readonly texts: readonly string[];
  /** Index of the first invalid value. */
  readonly faultAt: number | undefined;
  set(at: number, text: string): void;
}

export function useInputs(
  parameters: readonly AbiParameter[],
): Inputs & { read(): readonly unknown[] | undefined } {
  const [texts, setTexts] = useState<readonly string[]>(() => parameters.map(() => ''));
  const [faultAt, setFault] = useState<number>();
  return {
    ...{ parameters, texts, faultAt },
    set: (at, text) => {
      setTexts(texts.map((each, place) => (place === at ? text : each)));
      setFault(undefined);
    },
    /** undefined: a value is invalid, and its field is marked. */
    read() {
      const values: unknown[] = [];
      for (const [at, parameter] of parameters.entries()) {
        try {
          values.push(readValue(parameter, texts[at] ?? ''));
        } catch (error) {
          if (!(error instanceof ValueFault)) throw error;
          setFault(at);
          return undefined;
        }
      }
      setFault(undefined);
      return values;
    },
  };
}

export function InputFields({ parameters, texts: values, faultAt, set }: Inputs) {
  const { texts } = useSpeech();
  return (
    <>
      {parameters.map((parameter, at) => (
        <TextField
          key={at}
          label={`${parameter.name || at} (${parameter.type})`}
          name={parameter.name || String(at)}
          value={values[at] ?? ''}
          hint={/\]$|^tuple/.test(parameter.type) ? texts.asJson : undefined}
          fault={faultAt === at ? texts.valueFault(parameter.type) : undefined}
          onInput={(text) => set(at, text)}
        />
      ))}
    </>
  );
}
