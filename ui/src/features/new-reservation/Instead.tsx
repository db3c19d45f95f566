import type { QuoteAnswer } from '../../generated/QuoteAnswer';
import { t } from '../../i18n';
import { Button } from '../../shared/controls';
import { addDays } from '../../shared/days';
import { formatDate, formatMoney, formatStay } from '../../shared/format';
import { useRpc } from '../../shared/rpc';
import { type Alternative, alternatives } from './alternatives';
import styles from './new.module.css';

interface InsteadProps {
  quote: QuoteAnswer;
  businessDate: string;
  checkIn: string;
  checkOut: string;
  typeId: string;
  rooms: number;
  persons: number;
  /** The nights that the server named. */
  nights: readonly string[];
  onTake: (alternative: Alternative) => void;
}

/** Sold out: which nights, and the nearest other answers. */
export function Instead(props: InsteadProps) {
  const { quote, checkIn, checkOut, typeId, rooms, businessDate } = props;
  const quoteFor = (days: number) => ({
    check_in: addDays(checkIn, days),
    check_out: addDays(checkOut, days),
    rooms,
  });
  const earlier = useRpc('quote.get', quoteFor(-1), { enabled: checkIn > businessDate });
  const later = useRpc('quote.get', quoteFor(1));
  const near = [
    ...(earlier.data && checkIn > businessDate
      ? [{ checkIn: addDays(checkIn, -1), checkOut: addDays(checkOut, -1), answer: earlier.data }]
      : []),
    ...(later.data
      ? [{ checkIn: addDays(checkIn, 1), checkOut: addDays(checkOut, 1), answer: later.data }]
      : []),
  ];
  const found = alternatives(
    { typeId, rooms, persons: props.persons },
    { checkIn, checkOut, answer: quote },
    near,
  );
  const type = quote.types.find((one) => one.room_type.id === typeId);
  const nights = props.nights.slice(0, 5).map((night) => formatDate(night, businessDate));
  return (
    <div className={styles.instead} role="alert" data-testid="sold-out">
      <p className={styles.insteadTitle}>
        {t(rooms > 1 ? 'new.too_few_nights' : 'new.sold_out_nights', {
          count: rooms,
          type: type?.room_type.name ?? '',
          nights: nights.join(', ') + (props.nights.length > nights.length ? ' …' : ''),
        })}
      </p>
      {found.length === 0 ? <p>{t('new.nothing_near')}</p> : <p>{t('new.instead')}</p>}
      <div className={styles.offers}>
        {found.map((offer) => (
          <Button
            key={`${offer.kind} ${offer.typeId} ${offer.checkIn}`}
            onPress={() => props.onTake(offer)}
            data-testid="alternative"
          >
            <span>
              {offer.kind === 'other_type'
                ? t('new.instead_type', { name: offer.typeName, left: offer.left })
                : t('new.instead_dates', {
                    code: offer.typeCode,
                    stay: formatStay(offer.checkIn, offer.checkOut, businessDate),
                    left: offer.left,
                  })}
            </span>
            <i>{differenceText(offer, quote.currency)}</i>
          </Button>
        ))}
      </div>
    </div>
  );
}

function differenceText(offer: Alternative, currency: string): string {
  if (offer.dearerBy === undefined) return '';
  if (offer.dearerBy === 0) return t('new.same_price');
  return offer.dearerBy > 0
    ? t('new.dearer', { money: formatMoney(offer.dearerBy, currency) })
    : t('new.cheaper', { money: formatMoney(-offer.dearerBy, currency) });
}
