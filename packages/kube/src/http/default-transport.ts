import { bunTransport } from './bun-transport.ts'
import { nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/**
 * HTTP transport for the current runtime (bun or Node). A compiled executable contains only its runtime's transport.
 */
export const defaultTransport: Transport = process.versions.bun === undefined ? nodeTransport : bunTransport
