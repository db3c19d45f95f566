import type { ReactNode } from 'react';
import {
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
} from 'react-aria-components';
import styles from './Select.module.css';

export interface Choice {
  id: string;
  text: string;
}

export interface SelectProps {
  label: ReactNode;
  choices: readonly Choice[];
  value: string | null;
  onChange: (id: string) => void;
  isDisabled?: boolean;
  'data-testid'?: string;
}

/** One of a short list. */
export function Select({ label, choices, value, onChange, isDisabled = false, ...rest }: SelectProps) {
  return (
    <AriaSelect
      className={styles.field}
      value={value}
      isDisabled={isDisabled}
      onChange={(id) => onChange(String(id))}
    >
      <Label className={styles.label}>{label}</Label>
      <Button className={styles.button} data-testid={rest['data-testid']}>
        <SelectValue className={styles.value} />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className={styles.popover}>
        <ListBox className={styles.list}>
          {choices.map((choice) => (
            <ListBoxItem key={choice.id} id={choice.id} className={styles.item} textValue={choice.text}>
              {choice.text}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
