import { bunTransport } from './bun-transport.ts'
import { nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/**
 * HTTP transport for the current JavaScript runtime (bun or Node.js). A compiled executable contains only the transport
 * of its own runtime.
 */
export const defaultTransport: Transport = process.versions.bun === undefined ? nodeTransport : bunTransport
