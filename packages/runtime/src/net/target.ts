/** Address that a socket connects to: a host with a port, or the path of a unix socket. */
export type Target = { readonly path: string } | { readonly host: string; readonly port: number }
