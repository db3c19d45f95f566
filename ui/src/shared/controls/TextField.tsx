import type { ReactNode, Ref } from 'react';
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import styles from './TextField.module.css';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'children'> {
  label: ReactNode;
  /** A line below on what to write. */
  hint?: ReactNode;
  /** What is wrong; marks the field. */
  error?: string | undefined;
  placeholder?: string;
  /** Several lines. */
  lines?: number;
  inputRef?: Ref<HTMLInputElement>;
  'data-testid'?: string;
}

export function TextField({
  label,
  hint,
  error,
  placeholder,
  lines,
  inputRef,
  'data-testid': testId,
  className,
  ...rest
}: TextFieldProps) {
  return (
    <AriaTextField
      {...rest}
      isInvalid={error !== undefined}
      className={`${styles.field} ${String(className ?? '')}`}
    >
      <Label className={styles.label}>{label}</Label>
      {lines ? (
        <TextArea className={styles.area} rows={lines} placeholder={placeholder} data-testid={testId} />
      ) : (
        <Input className={styles.input} ref={inputRef} placeholder={placeholder} data-testid={testId} />
      )}
      {hint ? (
        <Text slot="description" className={styles.hint}>
          {hint}
        </Text>
      ) : null}
      <FieldError className={styles.error}>{error}</FieldError>
    </AriaTextField>
  );
}
