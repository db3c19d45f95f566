import '@fontsource-variable/inter/wght.css';
import './tokens/tokens.css';
import './tokens/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { applyTheme, savedTheme } from './app/theme';

applyTheme(savedTheme());
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
