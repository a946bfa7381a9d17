import type { NetnsPort } from '../io.ts'
import type { Environment } from '../protocol/environment.ts'
import type { NetworkConfig } from '../protocol/network-config.ts'
import type { Call } from './call.ts'

/** A CNI call with valid environment, configuration and CNI version. The plugin's handler can run. */
export interface AcceptedCall {
  readonly call: Call
  /** Validated `CNI_` variables of the call. */
  readonly environment: Environment
  /** Bytes of the call's stdin, as received. */
  readonly raw: Uint8Array
  /** Network configuration that was parsed from the call's stdin. */
  readonly config: NetworkConfig
  /** CNI version of the configuration. The plugin supports this version. */
  readonly version: string
  readonly port: NetnsPort
}
