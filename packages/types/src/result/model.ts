/**
 * Result of a CNI ADD in the 1.1.0 model. All versions are decoded into this model. Unknown members are kept. The
 * `prevResult` that a plugin gets is frozen. To change a result, copy it: `{ ...prevResult, ips }`.
 */
export interface Result {
  /**
   * CNI version of the decoded document. The encoder ignores this member and writes the version that its caller
   * requests.
   */
  readonly cniVersion?: string | undefined
  readonly interfaces?: readonly Interface[] | undefined
  readonly ips?: readonly IpConfig[] | undefined
  readonly routes?: readonly Route[] | undefined
  /** DNS resolver settings, as in `resolv.conf`. */
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

/** A network interface that a plugin has created or changed. */
export interface Interface {
  readonly name: string
  readonly mac?: string | undefined
  readonly mtu?: number | undefined
  /** Path of the network namespace that contains the interface. Missing for an interface on the node. */
  readonly sandbox?: string | undefined
  readonly socketPath?: string | undefined
  readonly pciID?: string | undefined
  readonly [unknown: string]: unknown
}

/** An IP address that a plugin has assigned, with the prefix length of its network. */
export interface IpConfig {
  /** Index of the address's interface in the list `interfaces`. Older plugins write -1 for no interface. */
  readonly interface?: number | undefined
  /** IP address of the host with prefix length, such as `10.1.2.3/24`. */
  readonly address: string
  readonly gateway?: string | undefined
  readonly [unknown: string]: unknown
}

/** A route that a plugin has added in the container's namespace. */
export interface Route {
  /** Destination network of the route; `0.0.0.0/0` or `::/0` for the default route. */
  readonly dst: string
  readonly gw?: string | undefined
  readonly mtu?: number | undefined
  readonly advmss?: number | undefined
  readonly priority?: number | undefined
  readonly table?: number | undefined
  readonly scope?: number | undefined
  readonly [unknown: string]: unknown
}
