/** Address that a socket connects to. */
export type Target = { readonly path: string } | { readonly host: string; readonly port: number }
