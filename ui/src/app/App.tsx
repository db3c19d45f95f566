import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { FirstSync } from '../features/sign-in/FirstSync';
import { SignIn } from '../features/sign-in/SignIn';
import { ProblemNote, Toasts } from '../shared/controls';
import { HouseContext } from '../shared/house';
import { listenForHotkeys } from '../shared/hotkeys';
import { makeQueryClient, useChanges, useRpc } from '../shared/rpc';
import { Shell } from './shell/Shell';

const client = makeQueryClient();

export function App() {
  return (
    <QueryClientProvider client={client}>
      <Desk />
      <Toasts />
    </QueryClientProvider>
  );
}

/** Signed out, loading the first copy, or at work. */
function Desk() {
  const queries = useQueryClient();
  useChanges(queries);
  useEffect(listenForHotkeys, []);
  const [signInAgain, setSignInAgain] = useState(false);

  const session = useRpc('session.get', {});
  const user = session.data?.user ?? null;
  const status = useRpc('status.get', {}, { enabled: user !== null });

  const house = useMemo(() => {
    const hotel = status.data?.hotel;
    return session.data && status.data && hotel
      ? { hotel, status: status.data, session: session.data }
      : null;
  }, [session.data, status.data]);

  const trouble = session.error ?? status.error;
  if (trouble && !house) {
    return (
      <main style={{ maxWidth: 480, margin: '80px auto' }}>
        <ProblemNote problem={trouble.problem} />
      </main>
    );
  }
  if (!session.data) return null;

  const phase = status.data?.sync.phase;
  const stuck = !house && phase === 'sign_in_again';
  if (!user || phase === 'signed_out' || signInAgain || stuck) {
    return (
      <SignIn
        session={session.data}
        onDone={() => setSignInAgain(false)}
        onBack={signInAgain ? () => setSignInAgain(false) : undefined}
      />
    );
  }
  // With a copy at hand one works on, also while it is loaded anew.
  if (!house) return <FirstSync hotelName={user.hotel_name} sync={status.data?.sync} />;
  return (
    <HouseContext value={house}>
      <Shell onSignInAgain={() => setSignInAgain(true)} />
    </HouseContext>
  );
}
