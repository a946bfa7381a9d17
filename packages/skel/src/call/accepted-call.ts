import type { NetnsPort } from '../io.ts'
import type { Environment } from '../protocol/environment.ts'
import type { NetworkConfig } from '../protocol/network-config.ts'
import type { Call } from './call.ts'

/** A {@link Call} whose environment, configuration and version have been accepted: from here on its verb decides. */
export interface AcceptedCall {
  readonly call: Call
  /** The variables of the protocol, checked. */
  readonly environment: Environment
  /** Stdin as it came. */
  readonly raw: Uint8Array
  /** Stdin as the protocol reads it. */
  readonly config: NetworkConfig
  /** The configuration's version, which the plugin supports. */
  readonly version: string
  readonly port: NetnsPort
}
