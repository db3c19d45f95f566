import { useRef, useState, type FormEvent } from 'react';
import { Checkbox } from 'react-aria-components';
import type { DetailsRequest } from '../../generated/DetailsRequest';
import type { Guarantee } from '../../generated/Guarantee';
import type { Lateness } from '../../generated/Lateness';
import type { ReservationDetail } from '../../generated/ReservationDetail';
import type { StayLine } from '../../generated/StayLine';
import type { Suggestion } from '../../generated/Suggestion';
import { t } from '../../i18n';
import { useAct } from '../../shared/act';
import { sameDetails } from '../../shared/details';
import { Button, ProblemNote, Select, TextField, toast, type ListHandle } from '../../shared/controls';
import { errorText, fieldError } from '../../shared/errors/table';
import { formatStay } from '../../shared/format';
import { GuestForm } from '../../shared/guests';
import { useHouse } from '../../shared/house';
import { SuggestionList } from '../../shared/rooms';
import { call, newId, SUBMIT_WAIT_MS, useRpc } from '../../shared/rpc';
import styles from './Reservation.module.css';

export interface FormProps {
  detail: ReservationDetail;
  /** Back to reading; nothing is lost but what was typed here. */
  onDone: () => void;
}

function nameOf(detail: ReservationDetail): string {
  return detail.line.guest_name || detail.line.number;
}

/** The room that the stay had before. The form is gone by then, so this is a command of its own. */
function putBack(before: StayLine): void {
  const command = { verb: 'assign', reservation_id: before.id, body: { room_id: before.room_id } } as const;
  void call('command.submit', { id: newId(), command, wait_ms: SUBMIT_WAIT_MS }).then((outcome) => {
    if (outcome.outcome === 'refused') toast(errorText(outcome.problem).title, { tone: 'refused' });
  });
}

export function AssignForm({ detail, onDone }: FormProps) {
  const { line } = detail;
  const act = useAct();
  const suggested = useRpc('room.suggest', { reservation_id: line.id, limit: 20 });
  // A room of another type needs an upgrade first: that is done at check-in or on the chart.
  const rooms = (suggested.data?.rooms ?? []).filter(
    (one) => one.room.room_type_id === line.room_type_id && one.room.id !== line.room_id,
  );
  const [picked, setPicked] = useState<string | null>(null);
  const list = useRef<ListHandle>(null);
  const chosen = rooms.find((one) => one.room.id === picked) ?? rooms[0];

  const take = async (suggestion: Suggestion) => {
    const done = await act.run(
      { verb: 'assign', reservation_id: line.id, body: { room_id: suggestion.room.id } },
      t('stay.assign.done', { name: nameOf(detail), room: suggestion.room.number }),
      { undo: () => putBack(detail.line) },
    );
    if (done) onDone();
  };
  const takeAway = async () => {
    const done = await act.run(
      { verb: 'assign', reservation_id: line.id, body: { room_id: null } },
      t('stay.unassign.done', { name: nameOf(detail) }),
      { undo: () => putBack(detail.line) },
    );
    if (done) onDone();
  };

  return (
    <div className={styles.form}>
      <h3>
        {line.room_number === null
          ? t('stay.assign.title')
          : t('stay.move.title', { room: line.room_number })}
      </h3>
      {suggested.isSuccess ? (
        <SuggestionList
          rooms={rooms}
          chosen={chosen?.room.id ?? null}
          onChoose={setPicked}
          onTake={(suggestion) => void take(suggestion)}
          handle={list}
          autoFocus
        />
      ) : null}
      {act.problem ? <ProblemNote problem={act.problem} /> : null}
      <div className={styles.acts}>
        {line.room_id !== null ? (
          <Button kind="danger" onPress={() => void takeAway()} isDisabled={act.busy}>
            {t('stay.act.unassign')}
          </Button>
        ) : null}
        <Button onPress={onDone}>{t('common.back')}</Button>
        {chosen ? (
          <Button kind="primary" isDisabled={act.busy} onPress={() => void take(chosen)} data-testid="assign-button">
            {t('stay.assign.do', { room: chosen.room.number })}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

const LATENESS: readonly Lateness[] = ['on_time', 'late', 'next_day'];

const GUARANTEES: readonly Guarantee[] = ['none', 'card', 'deposit', 'prepaid', 'company', 'agent'];

/** `4, 11` as ages; null when something else was typed. */
export function parseAges(text: string): number[] | null {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  const numbers = words.map(Number);
  const fine = words.every((word) => /^\d{1,2}$/.test(word)) && numbers.every((age) => age <= 17);
  return fine && numbers.length <= 10 ? numbers : null;
}

/** `15:30`, `15.30` or `15` as the desk writes times; empty is no time; null is none at all. */
export function parseTime(text: string): string | '' | null {
  if (text.trim() === '') return '';
  const match = /^\s*(\d{1,2})(?:[:.h]?([0-5]\d))?\s*$/.exec(text);
  if (!match || Number(match[1]) > 23) return null;
  return `${match[1]!.padStart(2, '0')}:${match[2] ?? '00'}:00`;
}

export function EditForm({ detail, onDone }: FormProps) {
  const { row } = detail;
  const act = useAct();
  const [adults, setAdults] = useState(String(row.adults));
  const [children, setChildren] = useState(row.children.join(', '));
  const [time, setTime] = useState(row.expected_time?.slice(0, 5) ?? '');
  const [guarantee, setGuarantee] = useState<Guarantee>(row.guarantee);
  const [notes, setNotes] = useState(row.notes);
  const [doNotMove, setDoNotMove] = useState(row.do_not_move);
  const [lateness, setLateness] = useState<Lateness>(row.lateness ?? 'on_time');

  const count = /^\d{1,2}$/.test(adults.trim()) ? Number(adults) : 0;
  const adultsWrong = count < 1 || count > 20;
  const agesOf = parseAges(children);
  const timeOf = parseTime(time);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (adultsWrong || agesOf === null || timeOf === null) return;
    const body: DetailsRequest = {
      // The version that was read when this form was opened: a change in between is refused (B65).
      ...sameDetails(row.version),
      adults: count,
      children: agesOf,
      guarantee,
      notes,
      expected_time: timeOf === '' ? null : timeOf,
      expected_time_unknown: timeOf === '',
      do_not_move: doNotMove,
      // Only of a stay that is promised; the server refuses it of any other.
      lateness: lateness === (row.lateness ?? 'on_time') ? null : lateness,
    };
    const command = { verb: 'details', reservation_id: row.id, body } as const;
    if (await act.run(command, t('stay.edit.done', { name: nameOf(detail) }))) onDone();
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <h3>{t('stay.edit.title')}</h3>
      <div className={styles.half}>
        <TextField
          label={t('stay.edit.adults')}
          value={adults}
          onChange={setAdults}
          inputMode="numeric"
          error={adultsWrong ? t('stay.edit.adults_wrong') : fieldError(act.problem, '/adults')}
          autoFocus
          data-testid="edit-adults"
        />
        <TextField
          label={t('stay.edit.children')}
          value={children}
          onChange={setChildren}
          hint={t('stay.edit.children_hint')}
          error={agesOf === null ? t('stay.edit.children_wrong') : fieldError(act.problem, '/children')}
          data-testid="edit-children"
        />
      </div>
      <div className={styles.half}>
        <TextField
          label={t('stay.expected')}
          value={time}
          onChange={setTime}
          hint={t('stay.edit.time_hint')}
          error={timeOf === null ? t('stay.edit.time_wrong') : fieldError(act.problem, '/expected_time')}
          data-testid="edit-time"
        />
        <Select
          label={t('stay.guarantee')}
          choices={GUARANTEES.map((id) => ({ id, text: t(`guarantee.${id}`) }))}
          value={guarantee}
          onChange={(id) => setGuarantee(GUARANTEES.find((one) => one === id) ?? 'none')}
        />
      </div>
      {row.state === 'confirmed' ? (
        <Select
          label={t('stay.lateness')}
          choices={LATENESS.map((id) => ({ id, text: t(`stay.lateness.${id}`) }))}
          value={lateness}
          onChange={(id) => setLateness(LATENESS.find((one) => one === id) ?? 'on_time')}
          data-testid="edit-lateness"
        />
      ) : null}
      <TextField
        label={t('stay.notes')}
        lines={4}
        value={notes}
        onChange={setNotes}
        error={fieldError(act.problem, '/notes')}
        data-testid="edit-notes"
      />
      <Check isSelected={doNotMove} onChange={setDoNotMove} text={t('stay.edit.do_not_move')} />
      {act.problem ? <ProblemNote problem={act.problem} /> : null}
      <div className={styles.acts}>
        <Button onPress={onDone}>{t('common.back')}</Button>
        <Button kind="primary" type="submit" isDisabled={act.busy} data-testid="edit-save">
          {t('common.save')}
        </Button>
      </div>
    </form>
  );
}

function Check({ text, ...rest }: { text: string; isSelected: boolean; onChange: (on: boolean) => void }) {
  return (
    <Checkbox {...rest} className={styles.check}>
      {({ isSelected }) => (
        <>
          <span className={styles.box} aria-hidden="true">
            {isSelected ? '✓' : ''}
          </span>
          {text}
        </>
      )}
    </Checkbox>
  );
}

export function GuestEdit({ detail, onDone }: FormProps) {
  const act = useAct();
  const attach = useAct();
  const [newGuestId] = useState(newId);
  return (
    <div className={styles.form}>
      <h3>{t('guest.edit')}</h3>
      <GuestForm
        guest={detail.guest}
        problem={act.problem}
        onSubmit={async (body) => {
          const guest_id = detail.guest?.id ?? newGuestId;
          const said = t('stay.edit.guest_done', { name: body.name });
          if (!(await act.run({ verb: 'put_guest', guest_id, body }, said))) return;
          if (!detail.guest) {
            const details = { ...sameDetails(detail.row.version), guest_id };
            const outcome = await attach.submit({ verb: 'details', reservation_id: detail.row.id, body: details });
            if (outcome.outcome === 'refused') return;
          }
          onDone();
        }}
      >
        {act.problem ? <ProblemNote problem={act.problem} /> : null}
        {attach.problem ? <ProblemNote problem={attach.problem} /> : null}
        <Button onPress={onDone}>{t('common.back')}</Button>
        <Button kind="primary" type="submit" isDisabled={act.busy || attach.busy} data-testid="guest-save">
          {t('common.save')}
        </Button>
      </GuestForm>
    </div>
  );
}

const REASONS = ['guest', 'released', 'duplicate', 'hotel', 'not_wanted'] as const;

export function CancelForm({ detail, onDone }: FormProps) {
  const { hotel } = useHouse();
  const { line } = detail;
  const act = useAct();
  const [reason, setReason] = useState<string>('guest');
  const cancel = async () => {
    const command = { verb: 'cancel', reservation_id: line.id, body: { reason, sharers: null } } as const;
    if (await act.run(command, t('stay.cancel.done', { name: nameOf(detail) }))) onDone();
  };
  return (
    <div className={styles.form} role="group" aria-label={t('stay.cancel.title')}>
      <h3>{t('stay.cancel.title')}</h3>
      <p>
        {t('stay.cancel.what', {
          name: nameOf(detail),
          stay: formatStay(line.check_in, line.check_out, hotel.business_date),
        })}
      </p>
      <Select
        label={t('stay.cancel.reason')}
        choices={REASONS.map((id) => ({ id, text: t(`stay.cancel.reason.${id}`) }))}
        value={reason}
        onChange={setReason}
      />
      {act.problem ? <ProblemNote problem={act.problem} /> : null}
      <div className={styles.acts}>
        <Button onPress={onDone} autoFocus>
          {t('stay.cancel.keep')}
        </Button>
        <Button kind="danger" onPress={() => void cancel()} isDisabled={act.busy} data-testid="cancel-button">
          {t('stay.cancel.do')}
        </Button>
      </div>
    </div>
  );
}

export function NoShowForm({ detail, onDone }: FormProps) {
  const { hotel } = useHouse();
  const { line } = detail;
  const act = useAct();
  const [keep, setKeep] = useState(line.guarantee !== 'none');
  const mark = async () => {
    const body = { keep_first_night: keep, later_nights: null, fee: null, sharers: null };
    const command = { verb: 'no_show', reservation_id: line.id, body } as const;
    if (await act.run(command, t('stay.no_show.done', { name: nameOf(detail) }))) onDone();
  };
  return (
    <div className={styles.form} role="group" aria-label={t('stay.no_show.title')}>
      <h3>{t('stay.no_show.title')}</h3>
      <p>
        {t('stay.no_show.what', {
          name: nameOf(detail),
          stay: formatStay(line.check_in, line.check_out, hotel.business_date),
        })}
      </p>
      <Check isSelected={keep} onChange={setKeep} text={t('stay.no_show.keep')} />
      {act.problem ? <ProblemNote problem={act.problem} /> : null}
      <div className={styles.acts}>
        <Button onPress={onDone} autoFocus>
          {t('common.back')}
        </Button>
        <Button kind="danger" onPress={() => void mark()} isDisabled={act.busy} data-testid="no-show-button">
          {t('stay.no_show.do')}
        </Button>
      </div>
    </div>
  );
}
