/**
 * What ADD returns: the 1.1.0 model. Results of every version are read into it and printed from it; members it does
 * not know are kept.
 */
export interface Result {
  /** Set by the decoder; the encoder writes the version it is asked for. */
  cniVersion?: string | undefined
  interfaces?: Interface[] | undefined
  ips?: IpConfig[] | undefined
  routes?: Route[] | undefined
  dns?: Dns | undefined
  [unknown: string]: unknown
}

/** An interface the plugins made or changed. */
export interface Interface {
  name: string
  mac?: string | undefined
  mtu?: number | undefined
  /** Path of the namespace it is in; missing for one on the node. */
  sandbox?: string | undefined
  socketPath?: string | undefined
  pciID?: string | undefined
  [unknown: string]: unknown
}

/** An address, with the length of its network's prefix. */
export interface IpConfig {
  /** Index into `interfaces`; older plugins write -1 for none. */
  interface?: number | undefined
  /** `10.1.2.3/24`: the address of the host, not of its network. */
  address: string
  gateway?: string | undefined
  [unknown: string]: unknown
}

/** A route in the container's namespace. */
export interface Route {
  /** The destination network, `0.0.0.0/0` for the default route. */
  dst: string
  gw?: string | undefined
  mtu?: number | undefined
  advmss?: number | undefined
  priority?: number | undefined
  table?: number | undefined
  scope?: number | undefined
  [unknown: string]: unknown
}

/** Resolver settings, as in `resolv.conf`. */
export interface Dns {
  nameservers?: string[] | undefined
  domain?: string | undefined
  search?: string[] | undefined
  options?: string[] | undefined
  [unknown: string]: unknown
}
