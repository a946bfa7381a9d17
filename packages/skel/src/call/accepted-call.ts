import type { NetnsPort } from '../io.ts'
import type { Environment } from '../protocol/environment.ts'
import type { NetworkConfig } from '../protocol/network-config.ts'
import type { Call } from './call.ts'

/** A {@link Call} with valid environment, configuration and version. The call's verb selects the next step. */
export interface AcceptedCall {
  readonly call: Call
  /** Validated variables of the protocol. */
  readonly environment: Environment
  /** The call's stdin as received. */
  readonly raw: Uint8Array
  /** The call's parsed stdin. */
  readonly config: NetworkConfig
  /** Version of the configuration. The plugin supports this version. */
  readonly version: string
  readonly port: NetnsPort
}
