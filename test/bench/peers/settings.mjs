/** The settings that the process was started with. */
export const settings = JSON.parse(process.argv[2]);

/** Listens on the port of the settings. */
export function listen(server) {
  server.listen(settings.port, '127.0.0.1');
}
