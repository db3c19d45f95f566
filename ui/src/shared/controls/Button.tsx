import type { Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import type { HotkeyId } from '../hotkeys';
import { Kbd } from './Kbd';
import styles from './Button.module.css';

export interface ButtonProps extends AriaButtonProps {
  /** `primary`: what Enter does here; one at most in sight. `danger`: gives something up. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** Shown while Alt is held. */
  hotkey?: HotkeyId;
  ref?: Ref<HTMLButtonElement>;
  'data-testid'?: string;
}

export function Button({ kind = 'plain', hotkey, children, className, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className={`${styles.button} ${styles[kind]} ${String(className ?? '')}`}>
      {(state) => (
        <>
          {typeof children === 'function' ? children(state) : children}
          {hotkey ? <Kbd hotkey={hotkey} /> : null}
        </>
      )}
    </AriaButton>
  );
}
