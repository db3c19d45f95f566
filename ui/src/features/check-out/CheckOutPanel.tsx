import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { useAct } from '../../shared/act';
import { Button, Facts, Panel, ProblemNote, StateMark } from '../../shared/controls';
import { formatDate, formatMoney, formatStay, nightsBetween } from '../../shared/format';
import { useHouse } from '../../shared/house';
import { useRpc } from '../../shared/rpc';
import styles from './CheckOutPanel.module.css';

export interface CheckOutPanelProps {
  id: string;
  onClose: () => void;
}

/** What is open, whether it is early, and one button on Enter. */
export function CheckOutPanel({ id, onClose }: CheckOutPanelProps) {
  const { hotel } = useHouse();
  const act = useAct();
  const detail = useRpc('reservation.get', { id });
  const button = useRef<HTMLButtonElement>(null);
  const ready = detail.data?.line.state === 'checked_in';
  useEffect(() => {
    if (ready) button.current?.focus();
  }, [ready]);

  const label = t('check_out.title');
  if (detail.error) {
    return (
      <Panel title={label} label={label} onClose={onClose} focused>
        <ProblemNote problem={detail.error.problem} />
      </Panel>
    );
  }
  if (!detail.data) return <Panel title="" label={label} onClose={onClose} focused />;
  const { line, row } = detail.data;
  const name = line.guest_name || t('common.no_name');
  const early = nightsBetween(hotel.business_date, line.check_out);

  const checkOut = async () => {
    const said = t('check_out.done', { name, room: line.room_number ?? line.type_code });
    const body = { early: early > 0, early_departure_fee: null, sharers: null };
    const command = { verb: 'check_out', reservation_id: id, body } as const;
    if (await act.run(command, said)) onClose();
  };

  return (
    <Panel
      title={name}
      subtitle={<StateMark state={early <= 0 && ready ? 'due_out' : line.state} />}
      label={label}
      onClose={onClose}
      data-testid="check-out-panel"
      footer={
        <>
          <Button onPress={onClose}>{t('common.back')}</Button>
          <Button
            ref={button}
            kind="primary"
            isDisabled={!ready || act.busy}
            onPress={() => void checkOut()}
            data-testid="check-out-button"
          >
            {early > 0
              ? t('check_out.do_early')
              : line.room_number
                ? t('check_out.do', { room: line.room_number })
                : t('check_out.do_plain')}
            <kbd>↵</kbd>
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <h3>{label}</h3>
        {ready ? null : <p className={styles.note}>{t('check_out.not_now', { state: t(`state.${line.state}`) })}</p>}
        {ready && early > 0 ? (
          <p className={styles.note} data-testid="check-out-early">
            {t('check_out.early', { count: early, day: formatDate(line.check_out, hotel.business_date) })}
          </p>
        ) : null}
        <p className={line.balance === 0 ? styles.settled : styles.balance} data-testid="check-out-balance">
          {line.balance === 0
            ? t('check_out.balance_none')
            : t('check_out.balance_open', { amount: formatMoney(line.balance, hotel.currency) })}
        </p>
        <Facts
          rows={[
            [t('stay.room'), line.room_number ?? t('stay.no_room')],
            [t('stay.dates'), formatStay(line.check_in, line.check_out, hotel.business_date)],
            [t('stay.total'), formatMoney(line.total, hotel.currency)],
            [t('stay.guarantee'), t(`guarantee.${line.guarantee}`)],
            row.notes !== '' && [t('stay.notes'), row.notes],
          ]}
        />
        {act.problem ? <ProblemNote problem={act.problem} /> : null}
      </div>
    </Panel>
  );
}
