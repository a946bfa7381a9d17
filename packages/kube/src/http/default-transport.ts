import { bunTransport } from './bun-transport.ts'
import { nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/** Best transport of the current runtime. An executable contains only this one. */
export const defaultTransport: Transport = process.versions.bun === undefined ? nodeTransport : bunTransport
