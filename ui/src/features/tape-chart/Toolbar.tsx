import { memo, useRef, useState } from 'react';
import { Group, ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { t } from '../../i18n';
import { Button } from '../../shared/controls';
import { toNumber } from '../../shared/days';
import { useHotkey } from '../../shared/hotkeys';
import { readDay } from '../../shared/stay-text';
import type { Grouping } from './rows';
import styles from './chart.module.css';

interface ToolbarProps {
  businessDate: string;
  first: number;
  last: number;
  grouping: Grouping;
  onGrouping: (grouping: Grouping) => void;
  onZoom: (direction: 1 | -1) => void;
  onMonth: (direction: 1 | -1) => void;
  onToday: () => void;
  onDay: (day: number) => void;
}

export const Toolbar = memo(function Toolbar(props: ToolbarProps) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [bad, setBad] = useState(false);

  useHotkey('chart_jump', () => field.current?.select());
  const jump = () => {
    if (text.trim() === '') return;
    const read = readDay(text, props.businessDate);
    let day = read ? toNumber(read.day) : undefined;
    // "15.11" on 30 November is the one just gone when the next one is beyond the chart.
    if (read && !read.year && day !== undefined && day >= props.last) day = beforeYear(read.day);
    if (day === undefined || day < props.first || day >= props.last) {
      setBad(true);
      return;
    }
    setText('');
    setBad(false);
    props.onDay(day);
  };

  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t('chart.title')}>
      <Group className={styles.pages} aria-label={t('chart.jump')}>
        <Button
          aria-label={t('chart.month_back')}
          onPress={() => props.onMonth(-1)}
          hotkey="chart_month_back"
        >
          ‹
        </Button>
        <Button onPress={props.onToday} hotkey="chart_today" data-testid="chart-today">
          {t('chart.today')}
        </Button>
        <Button
          aria-label={t('chart.month_forward')}
          onPress={() => props.onMonth(1)}
          hotkey="chart_month_forward"
        >
          ›
        </Button>
      </Group>
      <input
        ref={field}
        className={styles.jump}
        value={text}
        placeholder={t('chart.jump')}
        aria-label={t('chart.jump')}
        aria-invalid={bad}
        title={bad ? t('chart.jump_bad') : undefined}
        data-testid="chart-jump"
        onChange={(event) => {
          setText(event.target.value);
          setBad(false);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          jump();
        }}
      />
      {bad ? (
        <span className={styles.bad} role="alert">
          {t('chart.jump_bad')}
        </span>
      ) : null}
      <span className={styles.space} />
      <span className={styles.caption} id="chart-group-by">
        {t('chart.group_by')}
      </span>
      <ToggleButtonGroup
        className={styles.choice}
        aria-labelledby="chart-group-by"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[props.grouping]}
        onSelectionChange={(keys) => props.onGrouping(keys.has('floor') ? 'floor' : 'type')}
      >
        <ToggleButton id="type" className={styles.toggle}>
          {t('chart.by_type')}
        </ToggleButton>
        <ToggleButton id="floor" className={styles.toggle}>
          {t('chart.by_floor')}
        </ToggleButton>
      </ToggleButtonGroup>
      <Group className={styles.pages}>
        <Button
          aria-label={t('chart.zoom_out')}
          onPress={() => props.onZoom(-1)}
          hotkey="chart_zoom_out"
        >
          −
        </Button>
        <Button
          aria-label={t('chart.zoom_in')}
          onPress={() => props.onZoom(1)}
          hotkey="chart_zoom_in"
        >
          +
        </Button>
      </Group>
    </div>
  );
});

function beforeYear(day: string): number {
  return toNumber(
    `${Number(day.slice(0, 4)) - 1}${day.slice(4) === '-02-29' ? '-02-28' : day.slice(4)}`,
  );
}
