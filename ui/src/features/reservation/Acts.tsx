import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { Button } from '../../shared/controls';
import { useHouse } from '../../shared/house';
import { navigate, openPanel } from '../../shared/route';
import { possible, type Mode } from './possible';

export interface ActsProps {
  line: StayLine;
  onMode: (mode: Mode) => void;
}

/** What may be done with a stay now; the first is what comes next. */
export function Acts({ line, onMode }: ActsProps) {
  const { hotel, session } = useHouse();
  const can = possible(line, hotel.business_date, session.user?.role ?? 'front_desk');
  return (
    <>
      {can.edit ? (
        <Button kind="quiet" onPress={() => onMode('guest')} data-testid="stay-guest">
          {t('guest.edit')}
        </Button>
      ) : null}
      {can.edit ? (
        <Button kind="quiet" onPress={() => onMode('edit')} data-testid="stay-edit">
          {t('stay.act.edit')}
        </Button>
      ) : null}
      {can.noShow ? (
        <Button kind="quiet" onPress={() => onMode('no_show')} data-testid="stay-no-show">
          {t('stay.act.no_show')}
        </Button>
      ) : null}
      {can.cancel ? (
        <Button kind="quiet" onPress={() => onMode('cancel')} data-testid="stay-cancel">
          {t('stay.act.cancel_short')}
        </Button>
      ) : null}
      {can.assign ? (
        <Button onPress={() => onMode('assign')} data-testid="stay-assign">
          {line.room_id === null ? t('stay.act.assign') : t('stay.act.move')}
        </Button>
      ) : null}
      {can.checkIn ? (
        <Button kind="primary" onPress={() => navigate('check-in', [line.id])} data-testid="stay-check-in">
          {t('stay.act.check_in')}
        </Button>
      ) : null}
      {can.checkOut ? (
        <Button kind="primary" onPress={() => openPanel('check-out', line.id)} data-testid="stay-check-out">
          {t('stay.act.check_out')}
        </Button>
      ) : null}
    </>
  );
}
