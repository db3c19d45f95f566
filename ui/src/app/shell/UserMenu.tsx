import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components';
import { t } from '../../i18n';
import { clearToasts } from '../../shared/controls';
import { useHouse } from '../../shared/house';
import { navigate } from '../../shared/route';
import { call } from '../../shared/rpc';
import { applyTheme, savedTheme, THEMES, type Theme } from '../theme';
import styles from './UserMenu.module.css';

/** Desk and person; theme, sign out. */
export function UserMenu() {
  const { session } = useHouse();
  const queries = useQueryClient();
  const [theme, setTheme] = useState<Theme>(savedTheme);
  return (
    <MenuTrigger>
      <Button className={styles.button} data-testid="user-menu">
        <span className={styles.desk}>{session.device_name}</span>
        <span aria-hidden="true">·</span>
        <span data-testid="strip-user">{session.user?.display_name}</span>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className={styles.popover} placement="bottom end">
        <Menu className={styles.menu}>
          <MenuSection>
            <Header className={styles.header}>
              {session.user ? t(`role.${session.user.role}`) : ''}
              {session.keyring_problem ? <p className={styles.keyring}>{t('sign_in.keyring')}</p> : null}
            </Header>
          </MenuSection>
          <Separator className={styles.rule} />
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[theme]}
            onSelectionChange={(keys) => {
              const [chosen] = keys === 'all' ? [] : keys;
              const next = THEMES.find((one) => one === chosen) ?? 'system';
              applyTheme(next);
              setTheme(next);
            }}
          >
            <Header className={styles.header}>{t('menu.theme')}</Header>
            {THEMES.map((one) => (
              <MenuItem key={one} id={one} className={styles.item} data-testid={`theme-${one}`}>
                {({ isSelected }) => (
                  <>
                    <span className={styles.check} aria-hidden="true">
                      {isSelected ? '✓' : ''}
                    </span>
                    {t(`menu.theme_${one}`)}
                  </>
                )}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator className={styles.rule} />
          <MenuItem
            id="sign-out"
            className={styles.item}
            data-testid="sign-out"
            onAction={() => {
              void call('session.sign_out', {}).then(() => {
                clearToasts();
                navigate('today', [], { replace: true });
                return queries.resetQueries();
              });
            }}
          >
            <span className={styles.check} />
            {t('menu.sign_out')}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
