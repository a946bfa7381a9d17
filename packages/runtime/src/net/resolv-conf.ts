/** DNS servers and search list from `/etc/resolv.conf`. */
export interface ResolvConf {
  readonly servers: readonly string[]
  readonly search: readonly string[]
  readonly ndots: number
}

const MAX_SERVERS = 3
const MAX_SEARCH = 6
const MAX_NDOTS = 15

/** Parses `/etc/resolv.conf` as resolv.conf(5) says. The last `search` or `domain` line counts. */
export function readResolvConf(text: string): ResolvConf {
  const servers: string[] = []
  let search: readonly string[] = []
  let ndots = 1
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/)
    const [first] = values
    if (keyword === 'nameserver' && first !== undefined) servers.push(first)
    else if (keyword === 'search') search = values
    else if (keyword === 'domain') search = values.slice(0, 1)
    else if (keyword === 'options') {
      const given = values.findLast((value) => /^ndots:\d+$/.test(value))
      if (given !== undefined) ndots = Math.min(MAX_NDOTS, Number(given.slice('ndots:'.length)))
    }
  }
  // Makes the local machine the DNS server if no `nameserver` line exists, as resolv.conf(5) says.
  if (servers.length === 0) servers.push('127.0.0.1')
  return { servers: servers.slice(0, MAX_SERVERS), search: search.slice(0, MAX_SEARCH), ndots }
}

/** Returns the DNS names to query for a host name, in order, by the search list. */
export function candidates(name: string, { search, ndots }: ResolvConf): readonly string[] {
  if (name.endsWith('.')) return [name]
  const listed = search.map((domain) => `${name}.${domain}`)
  return name.split('.').length > ndots ? [name, ...listed] : [...listed, name]
}
