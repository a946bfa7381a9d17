/**
 * What ADD returns: the 1.1.0 model. Results of every version are read into it and printed from it; members it does
 * not know are kept. Readonly throughout, as `c.prevResult` is frozen: a changed result is a new object,
 * `{ ...c.prevResult, ips }`.
 */
export interface Result {
  /** Set by the decoder; the encoder writes the version it is asked for. */
  readonly cniVersion?: string | undefined
  readonly interfaces?: readonly Interface[] | undefined
  readonly ips?: readonly IpConfig[] | undefined
  readonly routes?: readonly Route[] | undefined
  /** Resolver settings, as in `resolv.conf`. */
  readonly dns?:
    | {
        readonly nameservers?: readonly string[] | undefined
        readonly domain?: string | undefined
        readonly search?: readonly string[] | undefined
        readonly options?: readonly string[] | undefined
        readonly [unknown: string]: unknown
      }
    | undefined
  readonly [unknown: string]: unknown
}

/** An interface the plugins made or changed. */
export interface Interface {
  readonly name: string
  readonly mac?: string | undefined
  readonly mtu?: number | undefined
  /** Path of the namespace it is in; missing for one on the node. */
  readonly sandbox?: string | undefined
  readonly socketPath?: string | undefined
  readonly pciID?: string | undefined
  readonly [unknown: string]: unknown
}

/** An address, with the length of its network's prefix. */
export interface IpConfig {
  /** Index into `interfaces`; older plugins write -1 for none. */
  readonly interface?: number | undefined
  /** `10.1.2.3/24`: the address of the host, not of its network. */
  readonly address: string
  readonly gateway?: string | undefined
  readonly [unknown: string]: unknown
}

/** A route in the container's namespace. */
export interface Route {
  /** The destination network, `0.0.0.0/0` for the default route. */
  readonly dst: string
  readonly gw?: string | undefined
  readonly mtu?: number | undefined
  readonly advmss?: number | undefined
  readonly priority?: number | undefined
  readonly table?: number | undefined
  readonly scope?: number | undefined
  readonly [unknown: string]: unknown
}
