/** Name of the agent's serving socket in the run directory. Only root can connect: the socket's mode is 0600. */
export const SERVE_SOCKET = 'serve.sock'
