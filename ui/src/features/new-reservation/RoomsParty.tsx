import { t } from '../../i18n';
import { TextField } from '../../shared/controls';
import { NO_GUEST, readAges, type RoomDraft } from './draft';
import { GuestPicker } from './GuestPicker';
import { ADULTS_MAX } from './stay-text';
import styles from './new.module.css';

interface RoomsPartyProps {
  rooms: readonly RoomDraft[];
  types: readonly { code: string; max: number }[];
  onRoom: (index: number, room: RoomDraft) => void;
  strict: boolean;
}

/** Adults and children of each room, and its own guest where there are several. */
export function RoomsParty({ rooms, types, onRoom, strict }: RoomsPartyProps) {
  return (
    <section className={styles.party} aria-label={t('new.party')}>
      <h2>{t('new.party')}</h2>
      {rooms.map((room, index) => {
        const type = types[index];
        const ages = readAges(room.ages);
        const persons = room.adults + (ages?.length ?? 0);
        return (
          <div key={index} className={styles.partyRow} data-several={rooms.length > 1 || undefined}>
            {rooms.length > 1 ? (
              <>
                <span className={styles.partyRoom}>
                  {t('new.room_n', { n: index + 1, type: type?.code ?? '' })}
                </span>
                <GuestPicker
                  label={t('new.room_guest')}
                  placeholder={t('new.room_guest_same')}
                  name={room.guest.name}
                  onName={(name) => onRoom(index, { ...room, guest: { ...NO_GUEST, name } })}
                  onChoose={(profile) =>
                    onRoom(index, { ...room, guest: { ...NO_GUEST, profile, name: profile.name } })
                  }
                  data-testid={`room-guest-${index}`}
                />
              </>
            ) : null}
            <TextField
              label={t('new.adults')}
              className={styles.few ?? ''}
              value={String(room.adults)}
              inputMode="numeric"
              onChange={(text) => {
                const count = /^\d{1,2}$/.test(text) ? Number(text) : text === '' ? 0 : room.adults;
                if (count <= ADULTS_MAX) onRoom(index, { ...room, adults: count });
              }}
              data-testid={`adults-${index}`}
            />
            <TextField
              label={t('new.ages')}
              className={styles.ages ?? ''}
              value={room.ages}
              placeholder={t('new.ages_hint')}
              error={strict && ages === undefined ? t('new.bad_ages') : undefined}
              onChange={(text) => onRoom(index, { ...room, ages: text })}
              data-testid={`ages-${index}`}
            />
            {type && persons > type.max ? (
              <span className={styles.heed}>{t('new.too_many_persons', { max: type.max })}</span>
            ) : null}
          </div>
        );
      })}
    </section>
  );
}
