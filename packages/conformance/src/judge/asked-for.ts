import { isObject, type JsonObject } from '@cni/types'
import { formatAddress, parsePrefix } from '@cni/types/ip'

/**
 * Addresses, without prefixes, that the configuration or CNI_ARGS request: `ipam.addresses` of the static plugin,
 * `runtimeConfig.ips`, `args.cni.ips`, `IP=`. Each pod gets such an address, even if several pods request the same one.
 */
export function addressesAskedFor(conf: JsonObject, args = ''): ReadonlySet<string> {
  const inArgs = args.split(';').flatMap((pair) => (/^ip=/i.test(pair) ? pair.slice(3).split(',') : []))
  return new Set([...inArgs, ...named(conf)].flatMap((text) => bare(text) ?? []))
}

/** Address without prefix, in the kernel's notation. */
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
    // Only members with these names request an address. A range or subnet leaves a choice, and a gateway is another
    // host.
    for (const [name, each] of Object.entries(value)) yield* named(each, /^(addresses|address|ips?)$/i.test(name))
  }
}
