// The desk's methods, as `desk/src/rpc/schema.rs` declares them. `methods.test.ts` reads that file and
// fails when the two differ.
import type { Catalogue } from '../../generated/Catalogue';
import type { Changes } from '../../generated/Changes';
import type { ChangesRequest } from '../../generated/ChangesRequest';
import type { Chart } from '../../generated/Chart';
import type { ChartRequest } from '../../generated/ChartRequest';
import type { CommandList } from '../../generated/CommandList';
import type { CommandOutcome } from '../../generated/CommandOutcome';
import type { CommandSubmit } from '../../generated/CommandSubmit';
import type { Empty } from '../../generated/Empty';
import type { FindAnswer } from '../../generated/FindAnswer';
import type { FindRequest } from '../../generated/FindRequest';
import type { PositionAnswer } from '../../generated/PositionAnswer';
import type { PositionRequest } from '../../generated/PositionRequest';
import type { QuoteAnswer } from '../../generated/QuoteAnswer';
import type { QuoteRequest } from '../../generated/QuoteRequest';
import type { ReservationDetail } from '../../generated/ReservationDetail';
import type { ReservationRequest } from '../../generated/ReservationRequest';
import type { Session } from '../../generated/Session';
import type { SignInRequest } from '../../generated/SignInRequest';
import type { Status } from '../../generated/Status';
import type { SuggestAnswer } from '../../generated/SuggestAnswer';
import type { SuggestRequest } from '../../generated/SuggestRequest';
import type { Tag } from '../../generated/Tag';
import type { TaskDone } from '../../generated/TaskDone';
import type { Today } from '../../generated/Today';

export interface RpcMethods {
  'session.get': { request: Empty; answer: Session };
  'session.sign_in': { request: SignInRequest; answer: Session };
  'session.sign_out': { request: Empty; answer: Session };
  'status.get': { request: Empty; answer: Status };
  'catalogue.get': { request: Empty; answer: Catalogue };
  'position.get': { request: PositionRequest; answer: PositionAnswer };
  'today.get': { request: Empty; answer: Today };
  'chart.get': { request: ChartRequest; answer: Chart };
  'reservation.get': { request: ReservationRequest; answer: ReservationDetail };
  find: { request: FindRequest; answer: FindAnswer };
  'quote.get': { request: QuoteRequest; answer: QuoteAnswer };
  'room.suggest': { request: SuggestRequest; answer: SuggestAnswer };
  'command.submit': { request: CommandSubmit; answer: CommandOutcome };
  'command.list': { request: Empty; answer: CommandList };
  'task.done': { request: TaskDone; answer: CommandList };
  'changes.wait': { request: ChangesRequest; answer: Changes };
}

export type Method = keyof RpcMethods;

/** What each answer depends on; a change that carries one of the tags makes the answer old. */
export const METHOD_TAGS: Record<Method, readonly Tag[]> = {
  'session.get': ['session'],
  'session.sign_in': [],
  'session.sign_out': [],
  'status.get': ['status', 'positions', 'catalogue', 'commands'],
  'catalogue.get': ['catalogue'],
  'position.get': ['positions', 'stays'],
  'today.get': ['stays', 'guests', 'catalogue'],
  'chart.get': ['stays', 'positions', 'catalogue', 'guests'],
  'reservation.get': ['stays', 'guests', 'catalogue'],
  find: ['stays', 'guests'],
  'quote.get': ['positions', 'rates', 'catalogue'],
  'room.suggest': ['stays', 'catalogue'],
  'command.submit': [],
  'command.list': ['commands'],
  'task.done': [],
  'changes.wait': [],
};
