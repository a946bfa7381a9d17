import { bunTransport } from './bun-transport.ts'
import { nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/** HTTP transport of the current runtime. A compiled executable contains only its own runtime's transport. */
export const defaultTransport: Transport = process.versions.bun === undefined ? nodeTransport : bunTransport
