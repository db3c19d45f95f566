import '@fontsource-variable/inter/wght.css';
import './tokens/tokens.css';
import './tokens/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { applyTheme, savedTheme } from './app/theme';

applyTheme(savedTheme());

// While developing, `?stub` shows a made-up hotel; the condition is false in what is built, and the
// stub is then left out.
if (import.meta.env.DEV && new URLSearchParams(location.search).has('stub')) {
  const { installStub } = await import('./dev/stub');
  installStub();
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
