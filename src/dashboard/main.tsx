import './styles/index.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { DashboardApp } from './app.js';
import { Session } from './session/session.js';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Session>
      <DashboardApp />
    </Session>
  </StrictMode>,
);
