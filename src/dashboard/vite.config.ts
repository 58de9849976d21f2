import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Builds the page and its files, each named by a hash of its content. Nothing is inlined, since the server's
 * Content-Security-Policy forbids it.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Files are found beside the page, wherever a proxy has put that.
  base: './',
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
});
