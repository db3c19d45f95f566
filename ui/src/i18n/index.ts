// Every text that people see comes from here. One folder per language, one file per area of the
// screens; a language that lacks a text does not compile.
import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { en, type MessageId } from './en';

export type { MessageId };
export type Values = Record<string, string | number>;

// Dates in `en` are written the European way (30 Nov), as the trade does; other languages bring
// their own order.
export const locale = 'en-GB';

const i18n = setupI18n({ locale: 'en', locales: locale, messages: { en } });

// The library compiles a text each time that it is asked for; a chart full of bars asks often.
const compiled = new Map<string, ReturnType<typeof compileMessage>>();
i18n.setMessagesCompiler((message) => {
  let made = compiled.get(message);
  if (!made) compiled.set(message, (made = compileMessage(message)));
  return made;
});

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A name that runs the other way keeps to itself, so that it does not turn the words around it. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** The text in the chosen language, with ICU plurals and choices filled in. */
export function t(id: MessageId, values?: Values): string {
  if (!values) return i18n._(id);
  const kept = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? isolate(value) : value,
  ]);
  return i18n._(id, Object.fromEntries(kept) as Values);
}

/** Whether the catalogue has a text of that name: for words that come from the desk. */
export function hasText(id: string): id is MessageId {
  return Object.hasOwn(en, id);
}

/** The text named `prefix.word`, or the word itself when a newer desk says one not known here. */
export function tWord(prefix: string, word: string, values?: Values): string {
  const id = `${prefix}.${word}`;
  return hasText(id) ? t(id, values) : word.replaceAll('_', ' ');
}
