import type { GuestRow } from '../../generated/GuestRow';
import { t } from '../../i18n';
import { Facts } from '../controls';
import { countryName, languageName } from '../format';

/** What is known of a guest. */
export function GuestFacts({ guest }: { guest: GuestRow }) {
  return (
    <Facts
      rows={[
        guest.phone !== null && [t('guest.phone'), guest.phone],
        guest.email !== null && [t('guest.email'), guest.email],
        guest.company !== null && [t('guest.company'), guest.company],
        guest.country !== null && [t('guest.country'), countryName(guest.country)],
        guest.language !== null && [t('guest.language'), languageName(guest.language)],
        guest.vip && [t('guest.vip'), t('guest.vip_yes')],
        guest.notes !== '' && [t('guest.notes'), guest.notes],
      ]}
    />
  );
}
