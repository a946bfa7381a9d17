/** The agent's socket, in the run directory. Only root may connect: mode 0600. */
export const SERVE_SOCKET = 'serve.sock'
