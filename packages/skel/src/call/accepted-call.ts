import type { NetnsPort } from '../io.ts'
import type { Environment } from '../protocol/environment.ts'
import type { NetworkConfig } from '../protocol/network-config.ts'
import type { Call } from './call.ts'

/** A {@link Call} with valid environment, configuration and version. Its verb decides what comes next. */
export interface AcceptedCall {
  readonly call: Call
  /** Validated variables of the protocol. */
  readonly environment: Environment
  /** Stdin as received. */
  readonly raw: Uint8Array
  /** Parsed stdin. */
  readonly config: NetworkConfig
  /** Version of the configuration. The plugin supports it. */
  readonly version: string
  readonly port: NetnsPort
}
