import type { Mode } from './possible';
import { AssignForm, CancelForm, EditForm, GuestEdit, NoShowForm, type FormProps } from './forms';

/** The form of an act. */
export function ModeForm({ mode, ...props }: FormProps & { mode: Exclude<Mode, 'view'> }) {
  switch (mode) {
    case 'assign':
      return <AssignForm {...props} />;
    case 'edit':
      return <EditForm {...props} />;
    case 'guest':
      return <GuestEdit {...props} />;
    case 'cancel':
      return <CancelForm {...props} />;
    case 'no_show':
      return <NoShowForm {...props} />;
  }
}
