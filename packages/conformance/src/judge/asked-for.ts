import { isObject, type JsonObject } from '@cni/types'
import { formatAddress, parsePrefix } from '@cni/types/ip'

/** IP addresses that the configuration or CNI_ARGS requests. Two pods may both get a requested address. */
export function addressesAskedFor(conf: JsonObject, args = ''): ReadonlySet<string> {
  const inArgs = args.split(';').flatMap((pair) => (/^ip=/i.test(pair) ? pair.slice(3).split(',') : []))
  return new Set([...inArgs, ...named(conf)].flatMap((text) => bare(text) ?? []))
}

/** Removes the prefix length (such as `/24`) from an IP address, and formats the address as the kernel does. */
export function bare(address: string): string | undefined {
  const prefix = parsePrefix(address)
  return prefix && formatAddress(prefix.bytes)
}

function* named(value: unknown, wanted = false): Generator<string> {
  if (typeof value === 'string') {
    if (wanted) yield value
  } else if (Array.isArray(value)) {
    for (const each of value) yield* named(each, wanted)
  } else if (isObject(value)) {
    // Skips members with other names: ranges, subnets and gateways are no addresses of the pod.
    for (const [name, each] of Object.entries(value)) yield* named(each, /^(addresses|address|ips?)$/i.test(name))
  }
}
