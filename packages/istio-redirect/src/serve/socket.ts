/** Name of the agent's socket in the run directory. Only root may connect: its mode is 0600. */
export const SERVE_SOCKET = 'serve.sock'
