import { bunTransport } from './bun-transport.ts'
import { nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/** What the runtime does best; an executable holds only that. */
export const defaultTransport: Transport = process.versions.bun === undefined ? nodeTransport : bunTransport
